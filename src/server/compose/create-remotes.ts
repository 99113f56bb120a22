// Remotes: their file, the connections to them, and the engine of their models.

import { randomBytes } from 'node:crypto';
import { toClientTls } from '../../base/config/client-tls.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Residency } from '../../inference/engine/residency/residency.ts';
import { createHostedEngine, type HostedEngine } from '../../inference/remote/create-hosted-engine.ts';
import { createRemoteEngine, type RemoteEngine } from '../../inference/remote/create-remote-engine.ts';
import { createDescribeRemoteModel, type DescribeRemoteModel } from '../../inference/remote/describe-remote-model.ts';
import type { CreateRouter } from '../../inference/remote/endpoint.ts';
import { createFollowEndpoint } from '../../inference/remote/events/token-places.ts';
import { createRemoteHttp } from '../../inference/remote/http/remote-http.ts';
import { createLoopGuard } from '../../inference/remote/loop-guard.ts';
import { createProber, type Prober } from '../../inference/remote/probe/prober.ts';
import { createRemoteStore, type RemoteStore } from '../../inference/remote/remotes/remote-store.ts';
import { createHealthCheck } from '../../inference/remote/routing/check-health.ts';
import { createRouter } from '../../inference/remote/routing/create-router.ts';
import { createSleepControl } from '../../inference/remote/sleep-control.ts';
import { UnansweredLimit } from '../../inference/remote/unanswered-limit.ts';
import type { Settings } from '../../settings/setting-table.ts';

interface Remotes {
  readonly engine: RemoteEngine;
  /** Models of engines that this server starts. */
  openHosted(hold: Residency['acquire']): HostedEngine;
  readonly store: RemoteStore;
  readonly prober: Prober;
  readonly describe: DescribeRemoteModel;
}

interface RemotesParts {
  readonly settings: Settings;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Throws if the file of remotes is damaged. */
export function createRemotes({ settings, version, clock, logger }: RemotesParts): Remotes {
  const remotes = createRemoteStore({ path: settings.remotesFile, clock, logger });
  const loopGuard = createLoopGuard(randomBytes(8).toString('hex'));
  const tls = toClientTls(settings);
  const http = createRemoteHttp({ version, clock, environment: processEnvironment, tls, loopGuard });
  const prober = createProber(http, clock);
  const routerOf: CreateRouter = (remote, endpoints) => {
    const follow = createFollowEndpoint(remote, { clock, random: Math.random, logger });
    return createRouter(endpoints, { clock, check: createHealthCheck({ remote, http, prober }), follow });
  };
  const { keepAlive, remoteTimeout: timeout } = settings;
  const calling = { http, prober, createRouter: routerOf, loopGuard };
  return {
    openHosted: (hold) => openHosted(hold, { settings, version, clock, logger }),
    engine: createRemoteEngine({ ...calling, remotes, keepAlive, timeout, clock, logger }),
    store: remotes,
    prober,
    describe: createDescribeRemoteModel({ remotes, http, prober }),
  };
}

/** Their keys are in memory only, and their connections are not those of remotes. */
function openHosted(hold: Residency['acquire'], { settings, version, clock, logger }: RemotesParts): HostedEngine {
  const keys: Record<string, string> = {};
  const loopGuard = createLoopGuard(randomBytes(8).toString('hex'));
  const http = createRemoteHttp({ version, clock, environment: keys, tls: toClientTls(settings), loopGuard });
  const prober = createProber(http, clock);
  const routerOf: CreateRouter = (remote, endpoints) =>
    createRouter(endpoints, { clock, check: createHealthCheck({ remote, http, prober }) });
  const sleepControl = createSleepControl(http, logger);
  const unanswered = new UnansweredLimit(clock);
  const { remoteTimeout: timeout } = settings;
  const calling = { http, prober, createRouter: routerOf, sleepControl, unanswered, loopGuard };
  return createHostedEngine({ ...calling, hold, keys, timeout, clock });
}
