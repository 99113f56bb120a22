// Puts the server together: the only file that knows every constructor, and the table of contents of the system.

import { randomUUID } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { keyFolders } from './config/key-folders.ts';
import type { Settings } from './config/settings.ts';
import { createEngine } from './engine/create-engine.ts';
import type { Engine } from './engine/ports.ts';
import { createQuantiseFile } from './engine/quantise-file.ts';
import { createHostCheck, isLoopback } from './http/host-header.ts';
import { chatCompletionsRoute } from './http/openai/chat-completions.ts';
import { completionsRoute } from './http/openai/completions.ts';
import { openAiEmbeddingsRoute } from './http/openai/embeddings.ts';
import { openAiDeleteRoute, openAiModelRoute, openAiModelsRoute } from './http/openai/models.ts';
import { withDocumentation } from './http/openapi/documentation.ts';
import { createOriginCheck } from './http/origin.ts';
import { createRequestTable } from './http/requests.ts';
import { blobHeadRoute, blobPostRoute } from './http/routes/blobs.ts';
import { chatRoute } from './http/routes/chat.ts';
import { createRoute } from './http/routes/create.ts';
import { embeddingsRoute, embedRoute } from './http/routes/embed.ts';
import { generateRoute } from './http/routes/generate.ts';
import { copyRoute, deleteRoute } from './http/routes/manage.ts';
import { metricsRoute } from './http/routes/metrics.ts';
import { psRoute, queueRoute } from './http/routes/ps.ts';
import { cancelRoute } from './http/routes/requests.ts';
import { rootRoute } from './http/routes/root.ts';
import { showRoute } from './http/routes/show.ts';
import { tagsRoute } from './http/routes/tags.ts';
import { detokenizeRoute, tokenizeRoute } from './http/routes/tokens.ts';
import { pullRoute, pushRoute } from './http/routes/transfer.ts';
import { verifyRoute } from './http/routes/verify.ts';
import { versionRoute } from './http/routes/version.ts';
import { createHttpServer } from './http/server.ts';
import type { Clock } from './kernel/clock.ts';
import { HearthError, messageOf, systemCodeOf } from './kernel/errors.ts';
import type { Logger } from './kernel/logger.ts';
import { loadOrCreateKey } from './keys/load-or-create-key.ts';
import { createMetrics, type Snapshot } from './metrics/create-metrics.ts';
import { createLibrary } from './registry/library.ts';
import { checkBlob, receiveBlob } from './service/blobs.ts';
import { createChat } from './service/chat.ts';
import { copyModel } from './service/copy-model.ts';
import { createCreateModel } from './service/create/create-model.ts';
import { deleteModel } from './service/delete-model.ts';
import { createEmbed } from './service/embed.ts';
import { createGenerate } from './service/generate.ts';
import { installEmbedded } from './service/install-embedded.ts';
import { listLoaded } from './service/list-loaded.ts';
import { listModels } from './service/list-models.ts';
import { createModelFactsReader } from './service/model-facts.ts';
import { createPullModel } from './service/pull-model.ts';
import { createPushModel } from './service/push-model.ts';
import { createShowModel } from './service/show-model.ts';
import { createDetokenize, createTokenize } from './service/tokens.ts';
import { createVerifyModels } from './service/verify-models.ts';
import { lockStore, type StoreLock } from './store/lock.ts';
import { createStore } from './store/store.ts';

export interface Hearth {
  /** Resolves with the address that it listens on. */
  start(): Promise<string>;
  /** Running answers get their time to finish, then everything ends. */
  stop(): Promise<void>;
}

export interface ComposeOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The script of a runner; tests put their own here. */
  readonly runnerScript?: string;
}

const ownRunnerScript = fileURLToPath(new URL('./runner/main.js', import.meta.url));
const quantiseScript = fileURLToPath(new URL('./runner/quantise.js', import.meta.url));
const embeddedFolder = fileURLToPath(new URL('../models', import.meta.url));
// Milliseconds.
const lastLinesGrace = 500;
const defaultContextLimit = 4096;
const defaultMaxLoaded = 3;

export function compose({ settings, version, clock, logger, runnerScript = ownRunnerScript }: ComposeOptions): Hearth {
  const store = createStore(settings.models, { clock });
  const metrics = createMetrics(() => describeLoad(engine));
  const engine = createEngine({
    settings: {
      build: settings.llmLibrary,
      defaultContextLimit: settings.contextLength || defaultContextLimit,
      numParallel: settings.numParallel,
      flashAttention: settings.flashAttention,
      kvCacheType: settings.kvCacheType,
      prefixCacheBytes: settings.prefixCache,
      maxLoadedModels: settings.maxLoadedModels || defaultMaxLoaded,
      maxQueue: settings.maxQueue,
      memoryBudget: settings.memoryBudget,
      keepAlive: settings.keepAlive,
      loadTimeout: settings.loadTimeout,
    },
    runnerScript,
    clock,
    logger,
    observer: metrics,
  });
  const facts = createModelFactsReader();
  const services = { store, engine, facts, clock, logger, observer: metrics };
  const generate = createGenerate(services);
  const embed = createEmbed(services);
  const chat = createChat({ ...services, newCallId: () => `call_${randomUUID().slice(0, 8)}` });
  const tokenize = createTokenize(services);
  const detokenize = createDetokenize(services);
  const list = () => listModels(store);
  const openAi = { clock, logger, newId: randomUUID };
  const quantiseFile = createQuantiseFile({ script: quantiseScript });
  const library = createLibrary({
    store,
    clock,
    version,
    credentials: settings.libraryCredentials,
    proxy: { http: settings.httpProxy, https: settings.httpsProxy, except: settings.noProxy },
    loadKey: () => loadOrCreateKey(keyFolders()),
  });
  const transferServices = { store, library, defaultLibrary: settings.library };
  const pullModel = createPullModel(transferServices);
  const createModel = createCreateModel({ store, quantiseFile, pullModel, logger });
  const { host, port } = settings.host;
  const requests = createRequestTable({ clock, logger, onEnd: metrics.requestEnded });
  const http = createHttpServer({
    routes: withDocumentation(version, [
      rootRoute,
      versionRoute(version),
      tagsRoute(list),
      showRoute(createShowModel({ store, facts })),
      embedRoute(embed),
      embeddingsRoute(embed),
      psRoute(() => listLoaded({ engine, store }), clock),
      queueRoute(engine.queue),
      cancelRoute(requests),
      metricsRoute(metrics),
      createRoute({ createModel, logger }),
      pullRoute({ pullModel, logger }),
      pushRoute({ pushModel: createPushModel(transferServices), logger }),
      copyRoute((source, destination) => copyModel(store, source, destination)),
      deleteRoute((model) => deleteModel({ store, engine }, model)),
      verifyRoute({ verifyModels: createVerifyModels({ store, root: settings.models }), logger }),
      blobHeadRoute((digest) => checkBlob(store, digest)),
      blobPostRoute((digest, source, signal) => receiveBlob(store, digest, source, signal)),
      generateRoute({ generate, clock, logger }),
      chatRoute({ chat, clock, logger, strictSpec: settings.strictSpec }),
      tokenizeRoute(tokenize),
      detokenizeRoute(detokenize),
      chatCompletionsRoute({ chat, ...openAi }),
      completionsRoute({ generate, detokenize, ...openAi }),
      openAiEmbeddingsRoute(embed),
      openAiModelsRoute(list),
      openAiModelRoute(list),
      openAiDeleteRoute((model) => deleteModel({ store, engine }, model)),
    ]),
    requests,
    maxBodyBytes: settings.maxBody,
    isAllowedOrigin: createOriginCheck(settings.origins),
    ...(isLoopback(host)
      ? { isAllowedHost: createHostCheck({ hostname: hostname(), addresses: ownAddresses() }) }
      : {}),
    logger,
  });

  let lock: StoreLock | undefined;
  // What killed processes left behind, and blobs that no model needs. Neither is worth a start that fails.
  const tidyStore = async (): Promise<void> => {
    try {
      await store.recover();
      if (lock?.held && !settings.noprune) await store.collectGarbage();
    } catch (error) {
      logger.warn('could not tidy up the store', { reason: messageOf(error) });
    }
  };

  return {
    async start() {
      lock = await lockStore(settings.models, { clock });
      await tidyStore();
      try {
        const installed = await installEmbedded(store, embeddedFolder);
        if (installed.length > 0)
          logger.info('installed the models that come with Hearth', { models: installed.join(' ') });
      } catch (error) {
        // A store that cannot be written to can still be served from.
        logger.warn('could not install the models that come with Hearth', { reason: messageOf(error) });
      }
      try {
        return await http.listen({ host, port });
      } catch (error) {
        if (systemCodeOf(error) !== 'EADDRINUSE') throw error;
        const message = `${host}:${port} is taken: another server runs there. Stop it, or choose another address with HEARTH_HOST or --host.`;
        throw new HearthError('bad_configuration', message, { cause: error });
      }
    },
    async stop() {
      const closed = http.close();
      // What is downloaded stays for another time: there is nothing to wait for.
      await library.close();
      await engine.close(settings.shutdownGrace);
      // What is left now are last lines on their way, and connections that a client keeps for a next request.
      http.server.closeIdleConnections();
      const timer = clock.after(lastLinesGrace, () => http.server.closeAllConnections());
      await closed;
      timer.cancel();
      await lock?.release();
    },
  };
}

function describeLoad(engine: Engine): Snapshot {
  return {
    models: engine.loaded().map(({ name, state, memory: { totalBytes, deviceBytes }, leases }) => ({
      name,
      state,
      leases,
      mainBytes: totalBytes - deviceBytes,
      deviceBytes,
    })),
    queues: engine.queue().map(({ name, waiting }) => ({ name, waiting: waiting.length })),
  };
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
