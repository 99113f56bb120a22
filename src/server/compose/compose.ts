// Builds the server from its parts, starts and stops it. The parts are in the files next to this one.

import { randomUUID } from 'node:crypto';
import { toClientTls } from '../../base/config/client-tls.ts';
import { toServerUrl } from '../../base/config/server-url.ts';
import type { Logger } from '../../base/logger.ts';
import { createMetrics } from '../../base/metrics/create-metrics.ts';
import { listenOnSocket } from '../../base/net/unix-socket.ts';
import { backlog } from '../../base/process/limit-connections.ts';
import { toListenError } from '../../base/process/listen-error.ts';
import { currentRequest } from '../../base/request/request-scope.ts';
import type { SharedState } from '../../base/state/shared-state.ts';
import type { Clock } from '../../base/time/clock.ts';
import { readAuthorities } from '../../base/tls/client-context.ts';
import { toTlsPaths } from '../../base/tls/tls-files.ts';
import { createTlsListener, toHttps } from '../../base/tls/tls-listener.ts';
import { combineEngines } from '../../inference/engine/combine-engines.ts';
import { lockStore, type StoreLock } from '../../models/store/lock.ts';
import { createStore } from '../../models/store/store.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { createActivity } from '../http/activity.ts';
import { createAudit } from '../http/audit.ts';
import { createIdleWatch, type IdleWatch } from '../http/idle-watch.ts';
import { InternalRequests } from '../http/internal-requests.ts';
import { RequestTable } from '../http/requests.ts';
import { createPageFiles } from '../page/page-files.ts';
import { findExampleModel } from '../services/management/example-model.ts';
import { hideModels } from '../services/models/model-access.ts';
import { ModelAliases } from '../services/models/model-aliases.ts';
import { createToolChat } from '../services/tools/tool-chat.ts';
import { auditTable } from './audit-table.ts';
import { createGeneration, createOpenTokenMeter, describeCaller } from './create-generation.ts';
import { createHttp } from './create-http.ts';
import { createInference } from './create-inference.ts';
import { createManagement } from './create-management.ts';
import { createModelTransfers } from './create-model-transfers.ts';
import { createRemotes } from './create-remotes.ts';
import { describeLoad, isAnyoneWaiting } from './describe-load.ts';
import { listRoutes } from './list-routes.ts';
import { openResponseStore, openResumableAnswers } from './open-answers.ts';
import { openFeatures } from './open-features.ts';
import { packageFiles } from './package-files.ts';
import { prepareStore } from './prepare-store.ts';

interface ComposeOptions {
  readonly settings: Settings;
  readonly version: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Not connected yet. Absent: this server has its own state. */
  readonly sharedState?: SharedState | undefined;
  /** The runner's script; tests replace it. */
  readonly runnerScript?: string;
  /** Called when the server had no work for as long as the settings say. */
  readonly onIdle?: () => void;
}

const finalLinesGraceMs = 500;

export function compose(options: ComposeOptions): Hearth {
  return new Hearth(options);
}

/** What the parts tell the server that they belong to. */
interface ServerEvents {
  /** Resolves when the store is prepared. */
  readonly whenReady: () => Promise<void>;
  readonly onWork: () => void;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

function createParts(options: ComposeOptions, { whenReady, onWork, signal }: ServerEvents) {
  const { settings, version, packageFolder, clock, logger, runnerScript, sharedState } = options;
  const files = packageFiles(packageFolder);
  const store = hideModels(createStore(settings.models, { clock }));
  const metrics = createMetrics(() => describeLoad(inference));
  const created = createInference({ settings, store, files, runnerScript, clock, logger, metrics, signal });
  const remotes = createRemotes({ settings, version, clock, logger });
  const parts = { settings, version, sharedState, clock, logger };
  const internal: InternalRequests = new InternalRequests(() => access);
  const isModelWanted = (): boolean => isAnyoneWaiting(created.engine.queue());
  const isModelUsed = (): boolean => activity.list().some(({ isBackground }) => !isBackground);
  const { judgeFile, childSettings } = created;
  const own = { store, judgeFile, childSettings, scriptOf: files.scriptOf };
  const given = { ...parts, ...own, remotes, requests: internal, isModelWanted, isModelUsed };
  const { features, access, readDocument, tools, passages } = openFeatures(given);
  const hosted = remotes.openHosted(created.hold);
  const engines = { local: created.engine, remote: remotes.engine, hosted, hold: created.hold };
  const inference = { ...created, engine: combineEngines(engines.local, engines.remote, hosted) };
  const { engine, listDevices } = inference;
  const common = { settings, version, store, inference, files, clock, logger };
  const quotas = { openMeter: createOpenTokenMeter(access), describeCaller };
  const aliases = new ModelAliases(settings.modelAliases, {
    isBusy: (name) => engine.queue().some((queue) => queue.name === name),
    session: () => currentRequest()?.session,
  });
  const generation = createGeneration({ ...common, aliases, observer: metrics, engines, ...quotas });
  const { compute, readModelCard, showModel } = generation;
  const transfers = createModelTransfers({ ...common, compute, describeRemote: remotes.describe });
  const responseStore = openResponseStore(parts);
  const activity = createActivity(clock);
  const requests = new RequestTable({
    clock,
    logger,
    identify: access?.identify,
    watchKey: access?.watchKey,
    audit: createAudit(auditTable, logger),
    onEnd(end) {
      metrics.requestEnded(end);
      if (!end.polled) onWork();
    },
    onFinished(request) {
      for (const feature of features) feature.recordRequest?.(request);
    },
    beginWork: activity.begin,
    strictFields: settings.strictFields,
    separateClients: settings.separateClients,
    keepsTexts: features.some(({ keepsTexts }) => keepsTexts),
    traceExport: features.find(({ traceExport }) => traceExport)?.traceExport,
  });
  const resumable = openResumableAnswers(requests, parts);
  const services = {
    ...generation,
    ...transfers,
    ...createManagement({ store, root: settings.models, engine, aliases, readModelCard, showModel }),
    ...{ responseStore, requests, resumable, activity, metrics, listDevices, clock, logger },
    readDocument,
    toolChat: createToolChat(generation.chat, tools, passages),
    queue: engine.queue,
    metricsScope: settings.metricsScope,
    strictSpec: settings.strictSpec,
    truncates: settings.truncateV1,
    completionsTemplate: settings.completionsTemplate,
    versions: { api: settings.apiVersion, hearth: version, requestLog: settings.requestLog },
    newId: randomUUID,
  };
  const featureRoutes = features.flatMap((feature) => feature.routes);
  const page = settings.page ? createPageFiles(files.page) : undefined;
  const routes = listRoutes({ services, featureRoutes, page, version });
  const tlsPaths = toTlsPaths(settings);
  const tls = tlsPaths && createTlsListener({ paths: tlsPaths, clock, logger });
  const http = createHttp({
    settings,
    routes,
    readLoad: metrics.readLoad,
    requests,
    access,
    whenReady,
    tls,
    clock,
    logger,
  });
  internal.connect(http);
  return {
    store,
    files,
    inference,
    features,
    access,
    generation,
    transfers,
    responseStore,
    requests,
    resumable,
    tls,
    http,
  };
}

class Hearth {
  readonly #options: ComposeOptions;
  readonly #closing = new AbortController();
  readonly #parts: ReturnType<typeof createParts>;
  /** The end of the preparation of the store. */
  #prepared = Promise.resolve();
  #lock: StoreLock | undefined;
  #idleWatch: IdleWatch | undefined;
  #removeSocket = async (): Promise<void> => {};

  constructor(options: ComposeOptions) {
    this.#options = options;
    this.#parts = createParts(options, {
      whenReady: () => this.#prepared,
      onWork: () => this.#idleWatch?.noteWork(),
      signal: this.#closing.signal,
    });
  }

  /** Resolves with the address when the server listens. Requests wait until the store is prepared. */
  async start(): Promise<string> {
    const { settings, clock, logger } = this.#options;
    const { tls, store, files, inference, features, generation, transfers } = this.#parts;
    await tls?.load();
    await this.#openState();
    await inference.blockEvents?.listen();
    // A wrong file must end the start; otherwise the first pull would fail.
    if (settings.tlsCa !== '') await readAuthorities(toClientTls(settings));
    const lock = await lockStore(settings.models, { clock });
    this.#lock = lock;
    const { embeddedModels } = files;
    const { prefixFiles } = inference;
    const prepare = () => prepareStore({ store, prefixFiles, lock, embeddedModels, noprune: settings.noprune, logger });
    // Without the lock, the preparation can fail, which must end the start.
    if (!lock.held) await prepare();
    const listening = this.#listen();
    if (lock.held) this.#prepared = listening.then(prepare, () => {});
    const address = await listening;
    for (const feature of features) feature.start?.();
    this.#watchIdle(settings.idleExit);
    void this.#prepared.then(() => inference.log());
    void this.#prepared.then(() => generation.preloadModels(settings.preload, this.#closing.signal));
    // Without the lock, the pulls may be those of another server.
    if (lock.held) void this.#prepared.then(() => transfers.pulls.resume());
    return address;
  }

  /** Whether requests need a key. */
  requiresKey(): boolean {
    return this.#parts.access?.isRequired() ?? false;
  }

  /** A model to try first; undefined if there is none. */
  async exampleModel(): Promise<string | undefined> {
    await this.#prepared;
    return findExampleModel(this.#parts.store, this.#parts.generation.showModel);
  }

  /** Running answers may finish within the grace period, then everything is closed. */
  async stop(): Promise<void> {
    const { settings, clock } = this.#options;
    const { http, responseStore, resumable, transfers, inference, generation, features } = this.#parts;
    this.#idleWatch?.stop();
    this.#closing.abort();
    for (const feature of features) feature.stop?.();
    await this.#removeSocket();
    const closed = http.close();
    responseStore.close();
    resumable?.close();
    await transfers.close();
    await inference.engine.close(settings.shutdownGrace);
    // Only final lines in transit and idle keep-alive connections remain.
    http.server.closeIdleConnections();
    const timer = clock.after(finalLinesGraceMs, () => http.server.closeAllConnections());
    await closed;
    timer.cancel();
    generation.stop();
    inference.blockEvents?.close();
    for (const feature of features) await feature.close?.();
    await this.#options.sharedState?.close();
    await this.#prepared;
    await this.#lock?.release();
  }

  /** Requests must not be answered before the keys are known. */
  async #openState(): Promise<void> {
    const { sharedState } = this.#options;
    try {
      await sharedState?.open();
      for (const feature of this.#parts.features) await feature.prepare?.();
    } catch (error) {
      await sharedState?.close();
      throw error;
    }
  }

  async #listen(): Promise<string> {
    const { host: address, socketMode: mode } = this.#options.settings;
    const { http, tls } = this.#parts;
    const choose = 'HEARTH_HOST or --host';
    if ('socket' in address) {
      const file = { path: address.socket, mode, choose };
      this.#removeSocket = await listenOnSocket(file, (path) => http.listen({ path, backlog })).catch(
        async (error: unknown) => {
          await http.close();
          throw error;
        },
      );
      return toServerUrl(address);
    }
    const { host, port } = address;
    try {
      const address = await http.listen({ host, port, backlog });
      return tls ? toHttps(address) : address;
    } catch (error) {
      throw toListenError(error, { host, port, choose });
    }
  }

  #watchIdle(limit: number | 'auto'): void {
    if (limit === 'auto' || limit === 0 || !Number.isFinite(limit)) return;
    const { clock, onIdle = () => {} } = this.#options;
    const { requests, inference, transfers } = this.#parts;
    const isBusy = (): boolean =>
      requests.isBusy() || inference.engine.loaded().length > 0 || transfers.pulls.isRunning;
    this.#idleWatch = createIdleWatch({ clock, limitMs: limit, isBusy, onIdle });
  }
}
