// POST /api/copy and DELETE /api/delete. Responses have no body.

import { type ModelName, parseRequestedModel, type RequestedModel } from '../../../../models/name.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { CopyRequestBody, DeleteRequestBody } from './manage-schema.ts';

export function copyRoute(copyModel: (source: RequestedModel, destination: ModelName) => Promise<void>): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'manage',
    path: '/api/copy',
    summary: 'Copy a model',
    body: CopyRequestBody,
    async handle(request, reply) {
      const { source = '', destination = '' } = request.body as CopyRequestBody;
      const from = parseRequestedModel(source, `source "${source}" is invalid`);
      const to = parseRequestedModel(destination, `destination "${destination}" is invalid`);
      await copyModel(from, to.name);
      return reply.code(200).send();
    },
  };
}

export function deleteRoute(deleteModel: (model: RequestedModel) => Promise<void>): Route {
  return {
    dialect: ollamaDialect,
    method: 'DELETE',
    scope: 'manage',
    path: '/api/delete',
    summary: 'Delete a model',
    body: DeleteRequestBody,
    async handle(request, reply) {
      const { model, name } = request.body as DeleteRequestBody;
      const text = model ?? name ?? '';
      await deleteModel(parseRequestedModel(text, `name "${text}" is invalid`));
      return reply.code(200).send();
    },
  };
}
