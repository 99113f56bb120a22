// Models of engines that this server starts: a lease holds the process of the engine in memory, and asks it as a remote with
// one endpoint.

import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type HostedRequest, isHosted } from '../engine/local-request.ts';
import type { AcquireRequest } from '../engine/ports.ts';
import type { HostedProcess } from '../engine/process/model-process.ts';
import type { HeldModel, Residency } from '../engine/residency/residency.ts';
import type { CreateRouter, Endpoint, Router } from './endpoint.ts';
import { createProcessHold, type HeldProcess } from './hold-process.ts';
import type { RemoteHttp } from './http/remote-http.ts';
import type { LoopGuard } from './loop-guard.ts';
import type { Prober } from './probe/prober.ts';
import { createRemoteCalls } from './remote-calls.ts';
import { RemoteLease } from './remote-lease.ts';
import type { SleepControl } from './sleep-control.ts';
import type { UnansweredLimit } from './unanswered-limit.ts';

interface HostedEngineOptions {
  readonly hold: Residency['acquire'];
  readonly http: RemoteHttp;
  readonly prober: Prober;
  readonly createRouter: CreateRouter;
  readonly sleepControl: SleepControl;
  readonly unanswered: Pick<UnansweredLimit, 'begin'>;
  readonly loopGuard: Pick<LoopGuard, 'check'>;
  /** The variables that `http` reads keys from. */
  readonly keys: Record<string, string>;
  /** Milliseconds that an engine may send nothing. */
  readonly timeout: number;
  readonly clock: Clock;
}

// Requests at the same time.
const crowd = 16;

export type HostedEngine = ReturnType<typeof createHostedEngine>;

export function createHostedEngine(options: HostedEngineOptions) {
  const { hold, http, prober, createRouter, sleepControl, unanswered, loopGuard, keys, timeout, clock } = options;
  const routers = new Map<HostedProcess, Router>();
  let running = 0;

  /** The process is asked until it ends. */
  const open = (process: HostedProcess, engine: string): Router => {
    const known = routers.get(process);
    if (known !== undefined) return known;
    const { url, servedModel, key, pid } = process;
    const variable = `process_${pid}`;
    keys[variable] = key;
    const kind = 'vllm';
    const endpoint: Endpoint = { id: url, url, kind, servedModel, keyRef: `env:${variable}`, caFile: '' };
    const router = createRouter(engine, [endpoint]);
    routers.set(process, router);
    void process.exited.then(() => {
      router.close();
      routers.delete(process);
      delete keys[variable];
      // Another process may get the same port.
      prober.forget({ ...endpoint, remote: engine });
      sleepControl.forget({ ...endpoint, remote: engine });
    });
    return router;
  };

  return {
    async acquire(request: AcquireRequest, signal: AbortSignal): Promise<RemoteLease> {
      if (!isHosted(request)) throw new HearthError('internal', `model "${request.name}" has no engine of its own`);
      loopGuard.check();
      const { engine: remote } = request.source;
      const acquireProcess = async (asked: HostedRequest, abort: AbortSignal) => {
        const held = requireProcess(await hold(asked, abort), asked);
        // The engine has a queue of its own.
        held.begin();
        return held;
      };
      const first = await acquireProcess(request, signal);
      const reacquire = (abort: AbortSignal) =>
        acquireProcess({ ...request, readmitted: true }, AbortSignal.any([abort, signal]));
      const held = createProcessHold({ first, reacquire, clock });
      running++;
      let isReleased = false;
      const parts = { remote, model: first.runner.servedModel, http, prober, sleepControl, unanswered, timeout };
      return new RemoteLease({
        remote,
        calls: createRemoteCalls({
          ...parts,
          router: { choose: (...words) => open(held.process(), remote).choose(...words) },
          recover: held.recover,
        }),
        model: first.describe(),
        loadTime: first.loadTime,
        given: request.given ?? {},
        signal,
        isCrowded: () => running > crowd,
        clock,
        onRelease() {
          if (isReleased) return;
          isReleased = true;
          running--;
          held.release();
        },
      });
    },
  };
}

function requireProcess(held: HeldModel, { name, source }: HostedRequest): HeldProcess {
  if (isProcess(held)) return held;
  held.release();
  throw new HearthError('internal', `model "${name}" is not loaded by ${source.engine}`);
}

function isProcess(held: HeldModel): held is HeldProcess {
  return 'url' in held.runner;
}
