// Every route of the server, and the service that carries it out.

import { randomUUID } from 'node:crypto';
import type { Settings } from '../../base/config/settings.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics/create-metrics.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Engine } from '../../inference/engine/ports.ts';
import type { Store } from '../../models/store/store.ts';
import { countTokensRoute } from '../dialects/anthropic/count-tokens-route.ts';
import { messagesRoute } from '../dialects/anthropic/messages-route.ts';
import { ollamaRerankRoute } from '../dialects/hearth/generation/rerank-route.ts';
import { detokenizeRoute, tokenizeRoute } from '../dialects/hearth/generation/tokens-route.ts';
import { activityRoute } from '../dialects/hearth/status/activity-route.ts';
import { devicesRoute } from '../dialects/hearth/status/devices-route.ts';
import { healthRoutes } from '../dialects/hearth/status/health-routes.ts';
import { keyRoute } from '../dialects/hearth/status/key-route.ts';
import { metricsRoute } from '../dialects/hearth/status/metrics-route.ts';
import { queueRoute } from '../dialects/hearth/status/queue-route.ts';
import { cancelRoute } from '../dialects/hearth/status/requests-route.ts';
import { verifyRoute } from '../dialects/hearth/status/verify-route.ts';
import { chatRoute } from '../dialects/ollama/generation/chat-route.ts';
import { embeddingsRoute, embedRoute } from '../dialects/ollama/generation/embed-route.ts';
import { generateRoute } from '../dialects/ollama/generation/generate-route.ts';
import { resumeRoute } from '../dialects/ollama/generation/resume-route.ts';
import { createRoute } from '../dialects/ollama/models/create-route.ts';
import { copyRoute, deleteRoute } from '../dialects/ollama/models/manage-route.ts';
import { showRoute } from '../dialects/ollama/models/show-route.ts';
import { tagsRoute } from '../dialects/ollama/models/tags-route.ts';
import { meRoute } from '../dialects/ollama/status/me-route.ts';
import { psRoute } from '../dialects/ollama/status/ps-route.ts';
import { rootRoute } from '../dialects/ollama/status/root-route.ts';
import { versionRoute } from '../dialects/ollama/status/version-route.ts';
import { blobHeadRoute, blobPostRoute } from '../dialects/ollama/transfer/blobs-route.ts';
import { pullRoute, pushRoute } from '../dialects/ollama/transfer/transfer-route.ts';
import { chatCompletionsRoute } from '../dialects/openai/chat/chat-completions-route.ts';
import { completionsRoute } from '../dialects/openai/completions/completions-route.ts';
import { openAiEmbeddingsRoute } from '../dialects/openai/embeddings-route.ts';
import { openAiDeleteRoute, openAiModelRoute, openAiModelsRoute } from '../dialects/openai/models-route.ts';
import { inputTokensRoute } from '../dialects/openai/responses/input-tokens-route.ts';
import { responsesRoute } from '../dialects/openai/responses/responses-route.ts';
import type { ResponseStore } from '../dialects/openai/responses/stored/response-store.ts';
import { storedRoutes } from '../dialects/openai/responses/stored-routes.ts';
import { rerankRoutes } from '../dialects/rerank/rerank-routes.ts';
import type { Activity } from '../http/activity.ts';
import { withDocumentation } from '../http/openapi/documentation.ts';
import type { RequestTable } from '../http/requests.ts';
import type { ResumableAnswers } from '../http/resumable/resumable-answers.ts';
import type { Route } from '../http/route.ts';
import type { PageFiles } from '../page/page-files.ts';
import { createSendPage, docsAssets, pageRoute } from '../page/page-routes.ts';
import { checkBlob, receiveBlob } from '../services/management/blobs.ts';
import { copyModel } from '../services/management/copy-model.ts';
import { deleteModel } from '../services/management/delete-model.ts';
import { findReranker } from '../services/management/find-reranker.ts';
import type { ListDevices } from '../services/management/list-devices.ts';
import { listLoaded } from '../services/management/list-loaded.ts';
import { listModelCards, listModels } from '../services/management/list-models.ts';
import { createVerifyModels } from '../services/management/verify-models.ts';
import type { Generation } from './create-generation.ts';
import type { ModelTransfers } from './create-model-transfers.ts';
import { dialectTable } from './dialect-table.ts';
import { operationTable } from './operations/operation-table.ts';

export interface RouteParts {
  /** Routes of features. */
  readonly featureRoutes: readonly Route[];
  readonly settings: Settings;
  readonly version: string;
  readonly store: Store;
  readonly engine: Engine;
  readonly listDevices: ListDevices;
  readonly generation: Generation;
  readonly transfers: ModelTransfers;
  readonly responseStore: ResponseStore;
  readonly requests: RequestTable;
  /** Undefined: no answer can be resumed. */
  readonly resumable: ResumableAnswers | undefined;
  readonly activity: Activity;
  /** Absent: the web page is switched off. */
  readonly page?: PageFiles;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function listRoutes(parts: RouteParts): Route[] {
  const { version, page } = parts;
  const routes = [
    ...pageRoutes(parts),
    ...statusRoutes(parts),
    ...modelRoutes(parts),
    ...generationRoutes(parts),
    ...parts.featureRoutes,
    ...openAiRoutes(parts),
    ...anthropicRoutes(parts),
    ...rerankPaths(parts),
  ];
  const documentation = { version, dialect: dialectTable.fallback, operations: operationTable };
  return withDocumentation({ ...documentation, assets: page === undefined ? undefined : docsAssets }, routes);
}

function pageRoutes({ page }: RouteParts): Route[] {
  if (page === undefined) return [rootRoute()];
  return [rootRoute(createSendPage(page)), pageRoute(page, dialectTable.fallback)];
}

function statusRoutes(parts: RouteParts): Route[] {
  const { settings, version, engine, listDevices, store, transfers, requests, activity, metrics, clock } = parts;
  return [
    ...healthRoutes,
    versionRoute({ api: settings.apiVersion, hearth: version, requestLog: settings.requestLog }),
    meRoute,
    psRoute(() => listLoaded({ engine, store }), clock),
    devicesRoute(listDevices),
    queueRoute({ queue: engine.queue, requests }),
    activityRoute({ activity, queue: engine.queue, requests, clock }),
    cancelRoute(requests),
    metricsRoute(metrics),
    keyRoute(transfers.readPublicKey),
  ];
}

function modelRoutes({ settings, store, engine, generation, transfers, logger }: RouteParts): Route[] {
  const { createModel, pullModel, pullPackage, pushModel } = transfers;
  return [
    tagsRoute(() => listModelCards(store, generation.readModelCard)),
    showRoute(generation.showModel),
    createRoute({ createModel, logger }),
    pullRoute({ pullModel, pullPackage, logger }),
    pushRoute({ pushModel, logger }),
    copyRoute((source, destination) => copyModel(store, source, destination)),
    deleteRoute((model) => deleteModel({ store, engine }, model)),
    verifyRoute({ verifyModels: createVerifyModels({ store, root: settings.models }), logger }),
    blobHeadRoute((digest) => checkBlob(store, digest)),
    blobPostRoute((digest, source, signal) => receiveBlob(store, digest, source, signal)),
  ];
}

function generationRoutes({ settings, generation, resumable, clock, logger }: RouteParts): Route[] {
  const { generate, chat, loadModel, renderPrompt, embed, rerank, tokenize, detokenize } = generation;
  return [
    generateRoute({ generate, loadModel, renderPrompt, clock, logger, resumable }),
    chatRoute({ chat, loadModel, renderPrompt, clock, logger, strictSpec: settings.strictSpec, resumable }),
    ...(resumable ? [resumeRoute({ resumable, logger })] : []),
    embedRoute(embed),
    embeddingsRoute(embed),
    ollamaRerankRoute(rerank),
    tokenizeRoute(tokenize),
    detokenizeRoute(detokenize),
  ];
}

function openAiRoutes({ settings, store, engine, generation, responseStore, clock, logger }: RouteParts): Route[] {
  const { generate, chat, loadModel, embed, detokenize, countPrompt, describeCustomTool } = generation;
  const list = () => listModels(store);
  const truncates = settings.truncateV1;
  const common = { clock, logger, newId: randomUUID, truncates };
  const responses = { store: responseStore, describeCustomTool, logger };
  return [
    chatCompletionsRoute({ chat, ...common }),
    completionsRoute({ generate, loadModel, detokenize, ...common }),
    openAiEmbeddingsRoute(embed),
    openAiModelsRoute(list),
    openAiModelRoute(list),
    openAiDeleteRoute((model) => deleteModel({ store, engine }, model)),
    responsesRoute({ chat, clock, newId: newPlainId, truncates, ...responses }),
    inputTokensRoute({ countPrompt, ...responses }),
    ...storedRoutes(responses),
  ];
}

function anthropicRoutes({ settings, generation, clock, logger }: RouteParts): Route[] {
  const { chat, countPrompt } = generation;
  const truncates = settings.truncateV1;
  return [messagesRoute({ chat, clock, logger, newId: newPlainId, truncates }), countTokensRoute(countPrompt)];
}

function rerankPaths({ store, generation }: RouteParts): Route[] {
  const { rerank, readModelCard } = generation;
  return rerankRoutes({ rerank, findReranker: () => findReranker(store, readModelCard), newId: newPlainId });
}

function newPlainId(): string {
  return randomUUID().replaceAll('-', '');
}
