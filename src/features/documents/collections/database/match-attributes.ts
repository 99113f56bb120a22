// Whether a file has the attributes of a filter.

import type { AttributeFilter, Attributes } from '../../../../server/services/documents/passage-search.ts';

/** A comparison with an attribute that is absent or of another type is false; `ne` and `nin` are true. */
export function matchAttributes(filter: AttributeFilter, attributes: Attributes = {}): boolean {
  if ('filters' in filter)
    return filter.type === 'and'
      ? filter.filters.every((each) => matchAttributes(each, attributes))
      : filter.filters.some((each) => matchAttributes(each, attributes));
  const { type, key, value } = filter;
  const found = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  const isListed = [value].flat().some((each) => each === found);
  if (type === 'eq' || type === 'in') return isListed;
  if (type === 'ne' || type === 'nin') return !isListed;
  if (typeof found !== typeof value || found === undefined || typeof found === 'boolean') return false;
  switch (type) {
    case 'gt':
      return found > (value as typeof found);
    case 'gte':
      return found >= (value as typeof found);
    case 'lt':
      return found < (value as typeof found);
    case 'lte':
      return found <= (value as typeof found);
  }
}
