// The HTTP API over a service fixture, in this process: real routes, services and store, and a fake engine.

import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { silentLogger } from '../../src/base/logger.ts';
import { createDescribeCustomTool } from '../../src/inference/local/constrain/custom-tool.ts';
import { createGrammars } from '../../src/inference/local/constrain/hold-calls.ts';
import { dialectTable } from '../../src/server/compose/dialect-table.ts';
import { countTokensRoute } from '../../src/server/dialects/anthropic/count-tokens-route.ts';
import { messagesRoute } from '../../src/server/dialects/anthropic/messages-route.ts';
import { ollamaRerankRoute } from '../../src/server/dialects/hearth/generation/rerank-route.ts';
import { scoreRoute } from '../../src/server/dialects/hearth/generation/score-route.ts';
import { detokenizeRoute, tokenizeRoute } from '../../src/server/dialects/hearth/generation/tokens-route.ts';
import { chatRoute } from '../../src/server/dialects/ollama/generation/chat-route.ts';
import { embeddingsRoute, embedRoute } from '../../src/server/dialects/ollama/generation/embed-route.ts';
import { generateRoute } from '../../src/server/dialects/ollama/generation/generate-route.ts';
import { createRoute } from '../../src/server/dialects/ollama/models/create-route.ts';
import { copyRoute, deleteRoute } from '../../src/server/dialects/ollama/models/manage-route.ts';
import { showRoute } from '../../src/server/dialects/ollama/models/show-route.ts';
import { pullRoute, pushRoute } from '../../src/server/dialects/ollama/transfer/transfer-route.ts';
import { chatCompletionsRoute } from '../../src/server/dialects/openai/chat/chat-completions-route.ts';
import { completionsRoute } from '../../src/server/dialects/openai/completions/completions-route.ts';
import { openAiEmbeddingsRoute } from '../../src/server/dialects/openai/embeddings-route.ts';
import { compactRoute } from '../../src/server/dialects/openai/responses/compact-route.ts';
import { inputTokensRoute } from '../../src/server/dialects/openai/responses/input-tokens-route.ts';
import { responsesRoute } from '../../src/server/dialects/openai/responses/responses-route.ts';
import { createResponseStore } from '../../src/server/dialects/openai/responses/stored/response-store.ts';
import { storedRoutes } from '../../src/server/dialects/openai/responses/stored-routes.ts';
import { rerankRoutes } from '../../src/server/dialects/rerank/rerank-routes.ts';
import type { FinishedRequest } from '../../src/server/http/request-end.ts';
import { RequestTable } from '../../src/server/http/requests.ts';
import type { Route } from '../../src/server/http/route.ts';
import { createHttpServer } from '../../src/server/http/server.ts';
import { createCreateModel } from '../../src/server/services/create/create-model.ts';
import { createCountPrompt } from '../../src/server/services/generation/count-prompt.ts';
import { createEmbed } from '../../src/server/services/generation/embed.ts';
import { createGenerate } from '../../src/server/services/generation/generate.ts';
import { createLoadModel } from '../../src/server/services/generation/load-model.ts';
import { createChat } from '../../src/server/services/generation/measure-answer.ts';
import { createRenderPrompt } from '../../src/server/services/generation/render-prompt.ts';
import { createClassify, createRerank } from '../../src/server/services/generation/rerank.ts';
import { createScore } from '../../src/server/services/generation/score.ts';
import { createDetokenize, createTokenize } from '../../src/server/services/generation/tokens.ts';
import { copyModel } from '../../src/server/services/management/copy-model.ts';
import { deleteModel } from '../../src/server/services/management/delete-model.ts';
import { findReranker } from '../../src/server/services/management/find-reranker.ts';
import { ModelPulls } from '../../src/server/services/management/model-pulls.ts';
import { createPreparePull } from '../../src/server/services/management/prepare-pull.ts';
import type { ModelTransfer } from '../../src/server/services/management/pull-model.ts';
import { createShowModel } from '../../src/server/services/management/show-model.ts';
import { createReadModelCard } from '../../src/server/services/models/model-card.ts';
import { createToolChat } from '../../src/server/services/tools/tool-chat.ts';
import { createComputeHere, type TestServices } from './service-fixture.ts';

export interface Api {
  readonly routes: readonly Route[];
  /** Models that pull or push was called with. */
  readonly transfers: ModelTransfer[];
  /** Requests of metered routes that have ended. */
  readonly finished: FinishedRequest[];
  /** Listens on a free port, for requests over a connection. Resolves with the URL. */
  listen(): Promise<string>;
  send(route: Pick<Route, 'method' | 'path'>, body: object): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export function createApi(services: TestServices): Api {
  const { store, engine, facts, describeModel, clock } = services;
  const logger = silentLogger;
  const transfers: ModelTransfer[] = [];
  const finished: FinishedRequest[] = [];
  async function* transfer(input: ModelTransfer) {
    transfers.push(input);
    yield { status: 'success' };
  }
  const generate = createGenerate(services);
  const detokenize = createDetokenize(services);
  const embed = createEmbed(services);
  const rerank = createRerank(services);
  const readModelCard = createReadModelCard({ store, describeModel });
  const chat = createChat(services);
  const toolChat = createToolChat(chat, undefined);
  const openAi = { clock, logger, newId: () => '1' };
  const prepare = createPreparePull({ pullModel: transfer, pullPackage });
  const responses = {
    store: createResponseStore({ clock, logger: silentLogger, maxBytes: 2 ** 20, maxAgeMs: 3_600_000 }),
    describeCustomTool: createDescribeCustomTool(createGrammars(createComputeHere())),
    logger,
  };
  const loadModel = createLoadModel(services);
  const countPrompt = createCountPrompt(services);
  const renderPrompt = createRenderPrompt(services);
  const quantizeFile = async (): Promise<void> => {};
  const convertFiles = (): never => {
    throw new Error('not expected');
  };
  async function* pullPackage() {
    yield { status: 'success' };
  }
  const routes = [
    generateRoute({ generate, loadModel, renderPrompt, clock, logger }),
    chatRoute({ toolChat, loadModel, renderPrompt, clock, logger, strictSpec: false }),
    embedRoute(embed),
    embeddingsRoute(embed),
    ollamaRerankRoute(rerank),
    scoreRoute(createScore({ ...services, generate })),
    tokenizeRoute(createTokenize(services)),
    detokenizeRoute(detokenize),
    showRoute(createShowModel({ store, facts, describeModel, engine, logger })),
    createRoute({
      createModel: createCreateModel({
        store,
        quantizeFile,
        convertFiles,
        pullModel: transfer,
        pullPackage,
        describeRemote: convertFiles,
        compute: createComputeHere(),
        logger,
      }),
      logger,
    }),
    copyRoute((source, destination) => copyModel(store, source, destination)),
    deleteRoute((model) => deleteModel({ store, engine }, model)),
    pullRoute({ pulls: new ModelPulls({ prepare, file: '', ...openAi }), logger }),
    pushRoute({ pushModel: transfer, logger }),
    chatCompletionsRoute({ chat, renderPrompt, ...openAi }),
    completionsRoute({ generate, renderPrompt, loadModel, detokenize, ...openAi }),
    openAiEmbeddingsRoute(embed),
    messagesRoute({ toolChat, ...openAi }),
    countTokensRoute(countPrompt),
    responsesRoute({ toolChat, clock, newId: openAi.newId, ...responses }),
    compactRoute({ chat, clock, newId: openAi.newId, ...responses }),
    inputTokensRoute({ countPrompt, ...responses }),
    ...storedRoutes(responses),
    ...rerankRoutes({
      rerank,
      classify: createClassify(services),
      findReranker: () => findReranker(store, readModelCard),
      newId: openAi.newId,
      clock,
    }),
  ];
  const app: FastifyInstance = createHttpServer({
    routes,
    dialects: dialectTable,
    requests: new RequestTable({ clock, logger, onFinished: (request) => finished.push(request), keepsTexts: true }),
    maxBodyBytes: 2 ** 20,
    isAllowedOrigin: () => true,
    clock,
    logger,
  });
  return {
    routes,
    transfers,
    finished,
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    send: ({ method, path }, body) => app.inject({ method, url: path, payload: JSON.stringify(body) }),
    close: () => app.close(),
  };
}
