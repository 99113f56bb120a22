// POST /api/copy and DELETE /api/delete. Both answer with nothing but a status.

import type { Route } from '../../../http/route.ts';
import { CopyRequest, DeleteRequest } from './manage-schema.ts';

export function copyRoute(copyModel: (source: string, destination: string) => Promise<void>): Route {
  return {
    method: 'POST',
    path: '/api/copy',
    body: CopyRequest,
    summary: 'Give a model a second name',
    async handle(request, reply) {
      const { source = '', destination = '' } = request.body as CopyRequest;
      await copyModel(source, destination);
      return reply.code(200).send();
    },
  };
}

export function deleteRoute(deleteModel: (model: string) => Promise<void>): Route {
  return {
    method: 'DELETE',
    path: '/api/delete',
    body: DeleteRequest,
    summary: 'Remove a model',
    async handle(request, reply) {
      const { model, name } = request.body as DeleteRequest;
      await deleteModel(model ?? name ?? '');
      return reply.code(200).send();
    },
  };
}
