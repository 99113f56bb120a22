// Pages of a list, as OpenAI's API has them.

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalid } from './read-fields.ts';

interface Page<Body> {
  readonly object: 'list';
  readonly data: Body[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

const defaultLimit = 20;
const maxLimit = 10_000;

export const pageQuery = {
  after: Type.String({ description: 'The id of the last known entry.' }),
  limit: Type.Integer({ minimum: 1, maximum: maxLimit, description: 'Maximum number of entries. Default: 20.' }),
};

/** For lists that can also be read backwards. */
export const orderedPageQuery = {
  ...pageQuery,
  before: Type.String({ description: 'The id of the first known entry: the entries before it.' }),
  order: Type.Enum(['asc', 'desc'], { description: 'By the time of creation. Default: desc.' }),
};

interface PageFields {
  readonly after?: string;
  readonly before?: string;
  readonly limit?: string;
  readonly order?: string;
}

/** `entries`: the newest first. */
export function pageOf<Entry extends { readonly id: string }, Body extends { readonly id: string }>(
  entries: readonly Entry[],
  { query }: FastifyRequest,
  toBody: (entry: Entry) => Body,
): Page<Body> {
  const { after, before, limit, order = 'desc' } = query as PageFields;
  if (order !== 'asc' && order !== 'desc') throw invalid('order', 'expected "asc" or "desc"');
  const count = limit === undefined ? defaultLimit : Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > maxLimit)
    throw invalid('limit', `expected a number from 1 to ${maxLimit}`);
  const all = order === 'desc' ? entries : entries.toReversed();
  const find = (id: string, name: string): number => {
    const index = all.findIndex((entry) => entry.id === id);
    if (index === -1) throw invalid(name, 'no entry has this id');
    return index;
  };
  const start = after === undefined ? 0 : find(after, 'after') + 1;
  const end = before === undefined ? all.length : find(before, 'before');
  // Without `after`, the entries directly before it.
  const first = before !== undefined && after === undefined ? Math.max(0, end - count) : start;
  const data = all.slice(first, Math.min(end, first + count)).map(toBody);
  return {
    object: 'list',
    data,
    has_more: before !== undefined && after === undefined ? first > 0 : first + count < end,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
