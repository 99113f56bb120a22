// The routes of OpenAI's API.

import type { Route } from '../../http/route.ts';
import { transcriptionRoutes } from './audio/transcriptions-route.ts';
import { chatCompletionsRoute } from './chat/chat-completions-route.ts';
import { completionsRoute } from './completions/completions-route.ts';
import { openAiEmbeddingsRoute } from './embeddings-route.ts';
import { openAiDeleteRoute, openAiModelRoute, openAiModelsRoute } from './models-route.ts';
import { compactRoute } from './responses/compact-route.ts';
import { inputTokensRoute } from './responses/input-tokens-route.ts';
import { responsesRoute } from './responses/responses-route.ts';
import type { ResponseStore } from './responses/stored/response-store.ts';
import { storedRoutes } from './responses/stored-routes.ts';

type Options<CreateRoute extends (options: never) => unknown> = Omit<Parameters<CreateRoute>[0], 'store'>;

type OpenAiServices = Options<typeof chatCompletionsRoute> &
  Options<typeof completionsRoute> &
  Options<typeof responsesRoute> &
  Options<typeof inputTokensRoute> & {
    readonly embed: Parameters<typeof openAiEmbeddingsRoute>[0];
    readonly listModels: Parameters<typeof openAiModelsRoute>[0];
    readonly deleteModel: Parameters<typeof openAiDeleteRoute>[0];
    readonly responseStore: ResponseStore;
  } & Options<typeof transcriptionRoutes>;

export function openAiRoutes(services: OpenAiServices): Route[] {
  const { embed, listModels, deleteModel, responseStore: store, newId } = services;
  const responses = { ...services, store, newId: () => newId().replaceAll('-', '') };
  return [
    chatCompletionsRoute(services),
    completionsRoute(services),
    openAiEmbeddingsRoute(embed),
    ...transcriptionRoutes(services),
    openAiModelsRoute(listModels),
    openAiModelRoute(listModels),
    openAiDeleteRoute(deleteModel),
    responsesRoute(responses),
    compactRoute(responses),
    inputTokensRoute(responses),
    ...storedRoutes(responses),
  ];
}
