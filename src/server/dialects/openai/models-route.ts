// GET /v1/models, GET and DELETE /v1/models/:id. An id may contain slashes, escaped or not.

import { formatTimestamp } from '../../../base/time/timestamp.ts';
import { formatModelName, missingModel, parseRequestedModel, type RequestedModel } from '../../../models/name.ts';
import type { Route } from '../../http/route.ts';
import type { ListedModel } from '../../services/management/list-models.ts';
import { openAiDialect } from '../shared/openai-dialect.ts';
import { OpenAiDeleteResponseBody, OpenAiModelListResponseBody, OpenAiModelResponseBody } from './models-schema.ts';

type ListModels = () => Promise<readonly ListedModel[]>;

export function openAiModelsRoute(listModels: ListModels): Route {
  return {
    dialect: openAiDialect,
    method: 'GET',
    scope: 'infer',
    path: '/v1/models',
    summary: 'List models',
    response: OpenAiModelListResponseBody,
    async handle(): Promise<OpenAiModelListResponseBody> {
      const data = (await listModels()).map((model) => toModel(model, model.name));
      return { object: 'list', data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    },
  };
}

export function openAiModelRoute(listModels: ListModels): Route {
  return {
    dialect: openAiDialect,
    method: 'GET',
    scope: 'infer',
    path: '/v1/models/*',
    summary: 'Show one model',
    response: OpenAiModelResponseBody,
    async handle(request): Promise<OpenAiModelResponseBody> {
      const id = (request.params as { readonly '*': string })['*'];
      const requested = parseRequestedModel(id);
      const name = formatModelName(requested.name);
      const found = (await listModels()).find((model) => model.name === name);
      if (found === undefined) throw missingModel(requested, `model '${id}' not found`);
      return toModel(found, id);
    },
  };
}

export function openAiDeleteRoute(deleteModel: (model: RequestedModel) => Promise<void>): Route {
  return {
    dialect: openAiDialect,
    method: 'DELETE',
    scope: 'manage',
    path: '/v1/models/*',
    summary: 'Delete a model',
    response: OpenAiDeleteResponseBody,
    async handle(request): Promise<OpenAiDeleteResponseBody> {
      const id = (request.params as { readonly '*': string })['*'];
      await deleteModel(parseRequestedModel(id, `name "${id}" is invalid`));
      return { id, object: 'model', deleted: true };
    },
  };
}

function toModel({ name, modifiedAt }: ListedModel, id: string): OpenAiModelResponseBody {
  const owner = name.includes('/') ? (name.split('/').at(-2) ?? 'library') : 'library';
  return {
    id,
    object: 'model',
    created: Math.floor(modifiedAt / 1000),
    owned_by: owner,
    type: 'model',
    display_name: name,
    created_at: formatTimestamp(modifiedAt),
  };
}
