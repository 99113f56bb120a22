// POST /api/copy and DELETE /api/delete. Both answer with nothing but a status.

import type { ModelName } from '../../../../models/name.ts';
import { parseRequestedModel, type RequestedModel } from '../../../../models/requested-model.ts';
import type { Route } from '../../../http/route.ts';
import { CopyRequest, DeleteRequest } from './manage-schema.ts';

export function copyRoute(copyModel: (source: RequestedModel, destination: ModelName) => Promise<void>): Route {
  return {
    method: 'POST',
    path: '/api/copy',
    body: CopyRequest,
    summary: 'Give a model a second name',
    async handle(request, reply) {
      const { source = '', destination = '' } = request.body as CopyRequest;
      const from = parseRequestedModel(source, `source "${source}" is invalid`);
      const to = parseRequestedModel(destination, `destination "${destination}" is invalid`);
      await copyModel(from, to.name);
      return reply.code(200).send();
    },
  };
}

export function deleteRoute(deleteModel: (model: RequestedModel) => Promise<void>): Route {
  return {
    method: 'DELETE',
    path: '/api/delete',
    body: DeleteRequest,
    summary: 'Remove a model',
    async handle(request, reply) {
      const { model, name } = request.body as DeleteRequest;
      const text = model ?? name ?? '';
      await deleteModel(parseRequestedModel(text, `name "${text}" is invalid`));
      return reply.code(200).send();
    },
  };
}
