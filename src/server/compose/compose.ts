// Builds the server from its parts, starts and stops it. The parts are in the files next to this one.

import { toClientTls } from '../../base/config/client-tls.ts';
import type { Settings } from '../../base/config/settings.ts';
import type { Logger } from '../../base/logger.ts';
import { createMetrics, type Snapshot } from '../../base/metrics/create-metrics.ts';
import { toListenError } from '../../base/process/listen-error.ts';
import type { Clock } from '../../base/time/clock.ts';
import { readAuthorities } from '../../base/tls/client-context.ts';
import { toTlsPaths } from '../../base/tls/tls-files.ts';
import { createTlsListener, toHttps } from '../../base/tls/tls-listener.ts';
import { serverFeatures } from '../../features/server-features.ts';
import { combineEngines } from '../../inference/engine/combine-engines.ts';
import { lockStore, type StoreLock } from '../../models/store/lock.ts';
import { createStore } from '../../models/store/store.ts';
import { createResponseStore } from '../dialects/openai/responses/stored/response-store.ts';
import { createActivity } from '../http/activity.ts';
import { createAudit } from '../http/audit.ts';
import { createIdleWatch, type IdleWatch } from '../http/idle-watch.ts';
import { RequestTable } from '../http/requests.ts';
import { createResumableAnswers } from '../http/resumable/resumable-answers.ts';
import { createPageFiles } from '../page/page-files.ts';
import { findExampleModel } from '../services/management/example-model.ts';
import { hideModels } from '../services/models/model-access.ts';
import { auditTable } from './audit-table.ts';
import { createGeneration } from './create-generation.ts';
import { createHttp } from './create-http.ts';
import { createInference, type Inference } from './create-inference.ts';
import { createModelTransfers } from './create-model-transfers.ts';
import { createRemotes } from './create-remotes.ts';
import { countTokensOfKeys, createAdmit } from './keyed-requests.ts';
import { listRoutes } from './list-routes.ts';
import { packageFiles } from './package-files.ts';
import { prepareStore } from './prepare-store.ts';

interface Hearth {
  /** Resolves with the address when the server listens. Requests wait until the store is prepared. */
  start(): Promise<string>;
  /** Whether requests need a key. */
  requiresKey(): boolean;
  /** A model to try first; undefined if there is none. */
  exampleModel(): Promise<string | undefined>;
  /** Running answers may finish within the grace period, then everything is closed. */
  stop(): Promise<void>;
}

interface ComposeOptions {
  readonly settings: Settings;
  readonly version: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The runner's script; tests replace it. */
  readonly runnerScript?: string;
  /** Called when the server had no work for as long as the settings say. */
  readonly onIdle?: () => void;
}

const finalLinesGraceMs = 500;

export function compose(options: ComposeOptions): Hearth {
  const { settings, version, packageFolder, clock, logger, runnerScript, onIdle = () => {} } = options;
  const files = packageFiles(packageFolder);
  const store = hideModels(createStore(settings.models, { clock }));
  const metrics = createMetrics(() => describeLoad(inference));
  const closing = new AbortController();
  const { signal } = closing;
  const created = createInference({ settings, store, files, runnerScript, clock, logger, metrics, signal });
  const remotes = createRemotes({ settings, version, clock, logger });
  const features = serverFeatures.map((feature) => feature.open({ settings, remotes, clock, logger }));
  const access = features.find((feature) => feature.access)?.access;
  const engines = { local: created.engine, remote: remotes.engine };
  const inference = { ...created, engine: combineEngines(engines.local, engines.remote) };
  const { engine, listDevices } = inference;
  const common = { settings, version, store, inference, files, clock, logger, metrics };
  const observer = countTokensOfKeys(metrics, access);
  const generation = createGeneration({ ...common, observer, engines, admit: createAdmit(access) });
  const describeRemote = remotes.describe;
  const transfers = createModelTransfers({ ...common, compute: generation.compute, describeRemote });
  const responseStore = createResponseStore({
    clock,
    maxBytes: settings.responseStore,
    maxAgeMs: settings.responseAge,
  });
  const activity = createActivity(clock);
  let idleWatch: IdleWatch | undefined;
  const requests = new RequestTable({
    clock,
    logger,
    identify: access?.identify,
    watchKey: access?.watchKey,
    audit: createAudit(auditTable, logger),
    onEnd(end) {
      metrics.requestEnded(end);
      if (!end.polled) idleWatch?.noteWork();
    },
    onFinished(request) {
      for (const feature of features) feature.recordRequest?.(request);
    },
    beginWork: activity.begin,
    strictFields: settings.strictFields,
    keepsTexts: features.some(({ keepsTexts }) => keepsTexts),
  });
  const { resumeMemory: maxBytes, resumeAge: keptFor, detachedTime: detachedFor } = settings;
  const resumable =
    maxBytes === 0 ? undefined : createResumableAnswers({ requests, clock, logger, maxBytes, keptFor, detachedFor });
  const routes = listRoutes({
    ...common,
    engine,
    listDevices,
    generation,
    transfers,
    responseStore,
    requests,
    resumable,
    activity,
    featureRoutes: features.flatMap((feature) => feature.routes),
    page: settings.page ? createPageFiles(files.page) : undefined,
  });
  // The end of the preparation of the store.
  let prepared = Promise.resolve();
  const tlsPaths = toTlsPaths(settings);
  const tls = tlsPaths && createTlsListener({ paths: tlsPaths, clock, logger });
  const http = createHttp({
    settings,
    routes,
    requests,
    access,
    whenReady: () => prepared,
    tls,
    clock,
    logger,
  });

  let lock: StoreLock | undefined;
  const watchIdle = (limit: number | 'auto'): void => {
    if (limit === 'auto' || limit === 0 || !Number.isFinite(limit)) return;
    const isBusy = (): boolean => requests.isBusy() || engine.loaded().length > 0;
    idleWatch = createIdleWatch({ clock, limitMs: limit, isBusy, onIdle });
  };
  const listen = async (): Promise<string> => {
    const { host, port } = settings.host;
    try {
      const address = await http.listen({ host, port });
      return tls ? toHttps(address) : address;
    } catch (error) {
      throw toListenError(error, { host, port, choose: 'HEARTH_HOST or --host' });
    }
  };

  return {
    async start() {
      await tls?.load();
      // A wrong file must end the start; otherwise the first pull would fail.
      if (settings.tlsCa !== '') await readAuthorities(toClientTls(settings));
      lock = await lockStore(settings.models, { clock });
      const { prefixFiles } = inference;
      const preparation = {
        store,
        prefixFiles,
        lock,
        embeddedModels: files.embeddedModels,
        noprune: settings.noprune,
        logger,
      };
      // Without the lock, the preparation can fail, which must end the start.
      if (!lock.held) await prepareStore(preparation);
      const listening = listen();
      if (lock.held)
        prepared = listening.then(
          () => prepareStore(preparation),
          () => {},
        );
      const address = await listening;
      for (const feature of features) feature.start?.();
      watchIdle(settings.idleExit);
      void prepared.then(() => inference.log());
      void prepared.then(() => generation.preloadModels(settings.preload, signal));
      return address;
    },
    requiresKey: () => access?.isRequired() ?? false,
    async exampleModel() {
      await prepared;
      return findExampleModel(store, generation.showModel);
    },
    async stop() {
      idleWatch?.stop();
      closing.abort();
      const closed = http.close();
      responseStore.close();
      resumable?.close();
      await transfers.close();
      await engine.close(settings.shutdownGrace);
      // Only final lines in transit and idle keep-alive connections remain.
      http.server.closeIdleConnections();
      const timer = clock.after(finalLinesGraceMs, () => http.server.closeAllConnections());
      await closed;
      timer.cancel();
      generation.stop();
      for (const feature of features) await feature.close?.();
      await prepared;
      await lock?.release();
    },
  };
}

function describeLoad({ engine, prefixFiles }: Inference): Snapshot {
  return {
    prefixFiles: prefixFiles?.usage ?? { files: 0, bytes: 0 },
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
