// GET /v1/models, GET and DELETE /v1/models/:id. An id may have slashes in it, escaped or not.

import { HearthError } from '../../../base/errors.ts';
import { formatModelName, parseModelName } from '../../../models/name.ts';
import { parseRequestedModel, type RequestedModel } from '../../../models/requested-model.ts';
import type { Route } from '../../http/route.ts';
import type { ListedModel } from '../../services/management/list-models.ts';
import type { OpenAiDeleted, OpenAiModel, OpenAiModelList } from './models-schema.ts';
import { DeletedBody, ModelBody, ModelListBody } from './responses-schema.ts';

type ListModels = () => Promise<readonly ListedModel[]>;

export function openAiModelsRoute(listModels: ListModels): Route {
  return {
    method: 'GET',
    path: '/v1/models',
    summary: 'The models in the store',
    response: ModelListBody,
    handle: async (): Promise<OpenAiModelList> => ({
      object: 'list',
      data: (await listModels()).map((model) => toModel(model, model.name)),
    }),
  };
}

export function openAiModelRoute(listModels: ListModels): Route {
  return {
    method: 'GET',
    path: '/v1/models/*',
    summary: 'One of them',
    response: ModelBody,
    async handle(request): Promise<OpenAiModel> {
      const id = (request.params as { readonly '*': string })['*'];
      const name = formatModelName(parseModelName(id));
      const found = (await listModels()).find((model) => model.name === name);
      if (found === undefined) throw new HearthError('model_not_found', `model '${id}' not found`);
      return toModel(found, id);
    },
  };
}

export function openAiDeleteRoute(deleteModel: (model: RequestedModel) => Promise<void>): Route {
  return {
    method: 'DELETE',
    path: '/v1/models/*',
    summary: 'Delete a model',
    response: DeletedBody,
    async handle(request): Promise<OpenAiDeleted> {
      const id = (request.params as { readonly '*': string })['*'];
      await deleteModel(parseRequestedModel(id, `name "${id}" is invalid`));
      return { id, object: 'model', deleted: true };
    },
  };
}

function toModel({ name, modifiedAt }: ListedModel, id: string): OpenAiModel {
  const owner = name.includes('/') ? (name.split('/').at(-2) ?? 'library') : 'library';
  return { id, object: 'model', created: Math.floor(modifiedAt / 1000), owned_by: owner };
}
