// GET and DELETE /v1/responses/:id, GET /v1/responses/:id/input_items, POST /v1/responses/:id/cancel

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import { invalid } from '../../shared/read-fields.ts';
import { responsesDialect, responsesPrefix } from './dialect.ts';
import { ResponseEvent } from './response/events-schema.ts';
import { DeletedResponseBody, InputItemsResponseBody, ResponseBody } from './response/response-schema.ts';
import { listItems, maxPage } from './stored/list-items.ts';
import { findRecord } from './stored/read-conversation.ts';
import type { ResponseStore } from './stored/response-store.ts';

const path = `${responsesPrefix}/:id`;
const idOf = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;
const queryOf = ({ query }: FastifyRequest) => query as Readonly<Record<string, unknown>>;

export function storedRoutes({ store, logger }: { readonly store: ResponseStore; readonly logger: Logger }): Route[] {
  const common = { dialect: responsesDialect, path, scope: 'infer' } as const;
  return [
    {
      ...common,
      method: 'GET',
      summary: 'Show a stored response, or repeat its events',
      query: {
        stream: Type.Boolean({ description: 'True: server-sent events.' }),
        starting_after: Type.Integer({ minimum: 0, description: 'The number of the last known event.' }),
      },
      response: ResponseBody,
      streams: ResponseEvent,
      async handle(request, reply) {
        const record = await findRecord(store, idOf(request), request.scope.key);
        const { stream, starting_after: after } = queryOf(request);
        if (stream !== 'true') return record.response();
        return sendStream(reply, record.follow(readNumber(after, 'starting_after') ?? -1), {
          dialect: responsesDialect,
          logger,
        });
      },
    },
    {
      ...common,
      method: 'DELETE',
      summary: 'Delete a stored response',
      response: DeletedResponseBody,
      async handle(request): Promise<DeletedResponseBody> {
        const { id } = await findRecord(store, idOf(request), request.scope.key);
        await store.removeEverywhere(id);
        return { id, object: 'response', deleted: true };
      },
    },
    {
      ...common,
      method: 'GET',
      path: `${path}/input_items`,
      summary: 'List the items that a stored response was generated from',
      query: {
        after: Type.String({ description: 'The id of the last known item.' }),
        limit: Type.Integer({
          minimum: 1,
          maximum: maxPage,
          description: 'Maximum number of items, up to 100. Default: 20.',
        }),
        order: Type.Enum(['asc', 'desc'], { description: '"asc" or "desc". Default: desc.' }),
      },
      response: InputItemsResponseBody,
      async handle(request): Promise<InputItemsResponseBody> {
        const { input } = await findRecord(store, idOf(request), request.scope.key);
        const { after, limit, order } = queryOf(request);
        return listItems(input, { after, limit: readNumber(limit, 'limit'), order });
      },
    },
    {
      ...common,
      method: 'POST',
      path: `${path}/cancel`,
      summary: 'Cancel a response that is generated in the background',
      response: ResponseBody,
      async handle(request): Promise<ResponseBody> {
        const record = await findRecord(store, idOf(request), request.scope.key);
        if (record.cancel === undefined)
          throw new HearthError('bad_request', 'only a response with background: true can be canceled');
        if (!record.isFinished()) record.cancel();
        for await (const _ of record.follow(-1));
        return record.response();
      },
    },
  ];
}

function readNumber(text: unknown, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw invalid(name, 'expected a number');
}
