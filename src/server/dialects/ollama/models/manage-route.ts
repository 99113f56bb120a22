// POST /api/copy and DELETE /api/delete. Responses have no body.

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../dialect.ts';
import { CopyRequestBody, DeleteRequestBody } from './manage-schema.ts';

export function copyRoute(copyModel: (source: string, destination: string) => Promise<void>): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    path: '/api/copy',
    summary: 'Copy a model',
    body: CopyRequestBody,
    async handle(request, reply) {
      const { source = '', destination = '' } = request.body as CopyRequestBody;
      await copyModel(source, destination);
      return reply.code(200).send();
    },
  };
}

export function deleteRoute(deleteModel: (model: string) => Promise<void>): Route {
  return {
    dialect: ollamaDialect,
    method: 'DELETE',
    path: '/api/delete',
    summary: 'Delete a model',
    body: DeleteRequestBody,
    async handle(request, reply) {
      const { model, name } = request.body as DeleteRequestBody;
      await deleteModel(model ?? name ?? '');
      return reply.code(200).send();
    },
  };
}
