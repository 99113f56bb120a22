// One page of the input items of a response.

import { invalid } from '../../../shared/read-fields.ts';
import type { InputItem } from '../request/input-items.ts';
import type { InputItemsResponseBody } from '../response/response-schema.ts';

interface Page {
  /** The id of the last item of the page before. */
  readonly after: unknown;
  readonly limit: number | undefined;
  readonly order: unknown;
}

export const maxPage = 100;

export function listItems(
  input: readonly InputItem[],
  { after, limit = 20, order = 'desc' }: Page,
): InputItemsResponseBody {
  if (order !== 'asc' && order !== 'desc') throw invalid('order', 'expected "asc" or "desc"');
  if (limit < 1 || limit > maxPage) throw invalid('limit', `expected a number from 1 to ${maxPage}`);
  const all = order === 'asc' ? input : [...input].reverse();
  const previous = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== undefined && previous === -1) throw invalid('after', 'there is no item with this id');
  const data = all.slice(previous + 1, previous + 1 + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: previous + 1 + limit < all.length,
  };
}
