// Arrays whose elements have few values: `uniqueItems` is enforced for them, with a rule for each set of used values.

import { grammarLimits } from '../limits/limits.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';

/** The values of elements, some of which other keywords may exclude. Undefined if there are too many sets of them. */
export function fewItemValues({ items, prefixItems, maxItems }: JsonObject): readonly unknown[] | undefined {
  const values = isJsonObject(items) && prefixItems === undefined ? listValues(items) : undefined;
  const longest = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY;
  return values && countSets(values.length, longest) <= grammarLimits.uniqueSets ? values : undefined;
}

function listValues({ enum: list, type, minimum, maximum, nullable, ...others }: JsonObject): unknown[] | undefined {
  if (Array.isArray(list)) return list;
  if (Object.hasOwn(others, 'const')) return [others['const']];
  if (type === undefined || nullable !== undefined) return undefined;
  const lists = [type].flat().map((one): readonly unknown[] | undefined => {
    if (one === 'null') return [null];
    if (one === 'boolean') return [true, false];
    return one === 'integer' ? integersBetween(minimum, maximum) : undefined;
  });
  return lists.includes(undefined) ? undefined : lists.flatMap((values) => values ?? []);
}

function integersBetween(minimum: unknown, maximum: unknown): number[] | undefined {
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return undefined;
  const first = Math.ceil(minimum);
  const length = Math.max(0, Math.floor(maximum) - first + 1);
  return length > grammarLimits.uniqueSets ? undefined : Array.from({ length }, (_, index) => first + index);
}

/** How many sets of at most `longest` of the values there are, up to one above the limit. */
function countSets(values: number, longest: number): number {
  let sum = 1;
  let ofSize = 1;
  for (let size = 1; size <= Math.min(values, longest) && sum <= grammarLimits.uniqueSets; size++) {
    ofSize = (ofSize * (values - size + 1)) / size;
    sum += ofSize;
  }
  return sum;
}
