// Pages of a list, as OpenAI's API has them.

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalid } from '../../server/dialects/shared/read-fields.ts';

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

/** `entries` are in their order. */
export function pageOf<Entry extends { readonly id: string }, Body extends { readonly id: string }>(
  entries: readonly Entry[],
  { query }: FastifyRequest,
  toBody: (entry: Entry) => Body,
): Page<Body> {
  const { after, limit } = query as { readonly after?: string; readonly limit?: string };
  const start = after === undefined ? 0 : entries.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw invalid('after', 'no entry has this id');
  const count = limit === undefined ? defaultLimit : Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > maxLimit)
    throw invalid('limit', `expected a number from 1 to ${maxLimit}`);
  const data = entries.slice(start, start + count).map(toBody);
  return {
    object: 'list',
    data,
    has_more: start + count < entries.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
