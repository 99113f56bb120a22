// Distributes jobs over a few processes or threads, so that no job and no client can make others wait long. A job that
// runs longer than `slowAfter` is slow: the jobs behind it continue in another process, and if none is free, the job that
// has run longest is killed. A job that was killed for its time gets only `slowAfter` for a while.

import { createDeferred, type Deferred } from '../deferred.ts';
import { HearthError, requestCanceled } from '../errors.ts';
import type { Clock, Timer } from '../time/clock.ts';
import { createJobQueue } from './job-queue.ts';

/** A process or thread that runs one job at a time. */
export interface JobHost<Job, Outcome> {
  /** False once it exits or is killed. */
  readonly alive: boolean;
  /** `onStart` is called when it has started and has the job. */
  run(job: Job, onStart: () => void): Promise<Outcome>;
  /** A running job ends with this reason in its outcome. */
  kill(reason: string): void;
}

export interface JobPoolLimits {
  /** Milliseconds of one job. */
  readonly milliseconds: number;
  readonly maxHosts: number;
  /** Jobs that wait for a host. */
  readonly maxWaiting: number;
  /** Milliseconds that a host may take to start. */
  readonly startMilliseconds: number;
  /** Milliseconds for which a job waits for a running one to end. Then another host is started. */
  readonly patience: number;
  /** Milliseconds after which a job is slow. */
  readonly slowAfter: number;
  /** Milliseconds during which a job that was killed has less time. */
  readonly probation: number;
}

interface JobPoolOptions<Job, Outcome> {
  readonly clock: Clock;
  readonly limits: JobPoolLimits;
  readonly startHost: () => JobHost<Job, Outcome>;
  /** Jobs with the same key take about the same time. */
  readonly keyOf: (job: Job) => string;
  /** The outcome of a job that is stopped before it runs. */
  readonly stopped: Outcome;
}

interface PoolRequest<Job> {
  readonly job: Job;
  /** Groups take turns, and only slow jobs of a group run at the same time. */
  readonly group: string;
  readonly signal?: AbortSignal | undefined;
}

interface JobPool<Job, Outcome> {
  /** Rejects with `cancelled` when the signal aborts, and with `busy` if too many jobs wait. */
  run(request: PoolRequest<Job>): Promise<Outcome>;
  /** Ends all hosts and jobs. A later job starts a new host. */
  stop(): void;
}

interface Task<Job, Outcome> {
  readonly job: Job;
  readonly group: string;
  readonly outcome: Deferred<Outcome>;
}

interface RunningTask<Job, Outcome> extends Task<Job, Outcome> {
  readonly host: JobHost<Job, Outcome>;
  readonly begun: number;
  slow: boolean;
  abandoned: boolean;
  timers: Timer[];
}

// One slow job, and one behind it.
const maxPerGroup = 2;
// Keys on probation.
const maxRemembered = 32;

export function createJobPool<Job, Outcome>(options: JobPoolOptions<Job, Outcome>): JobPool<Job, Outcome> {
  type Waiting = Task<Job, Outcome>;
  type Running = RunningTask<Job, Outcome>;
  const { clock, limits, startHost, keyOf, stopped } = options;
  const queue = createJobQueue<Waiting>(limits.maxWaiting);
  const running = new Set<Running>();
  const probationEnds = new Map<string, number>();
  let idle: JobHost<Job, Outcome>[] = [];
  let patienceTimer: Timer | undefined;

  const mayRun = (group: string): boolean => {
    const own = [...running].filter((task) => task.group === group);
    return own.length < maxPerGroup && own.every(({ slow }) => slow);
  };

  function schedule(): void {
    while (queue.hasAllowed(mayRun)) {
      let host: JobHost<Job, Outcome> | undefined;
      try {
        host = freeHost();
      } catch (error) {
        // There is no file handle or no memory for another host.
        queue.take(mayRun)?.outcome.reject(error as Error);
        continue;
      }
      if (host === undefined) return;
      const task = queue.take(mayRun);
      if (task) void run(task, host);
    }
  }

  /** Undefined: the end of a running job, or a timer, schedules again. */
  function freeHost(): JobHost<Job, Outcome> | undefined {
    idle = idle.filter(({ alive }) => alive);
    const host = idle.pop();
    if (host !== undefined || isOneExpected()) return host;
    if (running.size < limits.maxHosts) return startHost();
    killSlowest();
    return undefined;
  }

  // Most jobs take less time than the start of a process.
  function isOneExpected(): boolean {
    const youngest = [...running].findLast(({ host }) => host.alive);
    const leftMs = youngest === undefined ? 0 : youngest.begun + limits.patience - clock.now();
    if (leftMs <= 0) return false;
    patienceTimer?.cancel();
    patienceTimer = clock.after(leftMs, schedule);
    return true;
  }

  // A set is in order of insertion: the first slow job has run longest. Its end schedules the next one.
  function killSlowest(): void {
    const alive = [...running].filter(({ host }) => host.alive);
    const slowest = alive.length === running.size ? alive.find(({ slow }) => slow) : undefined;
    if (slowest) killForTime(slowest, 'took too long while others were waiting');
  }

  function killForTime({ job, host }: Running, reason: string): void {
    const key = keyOf(job);
    probationEnds.delete(key);
    probationEnds.set(key, clock.now() + limits.probation);
    for (const oldest of probationEnds.keys()) if (probationEnds.size > maxRemembered) probationEnds.delete(oldest);
    host.kill(reason);
  }

  async function run(waiting: Waiting, host: JobHost<Job, Outcome>): Promise<void> {
    const task: Running = { ...waiting, host, begun: clock.now(), slow: false, abandoned: false, timers: [] };
    running.add(task);
    const start = clock.after(limits.startMilliseconds, () => host.kill('could not start in time'));
    task.timers.push(start);
    try {
      const outcome = await host.run(task.job, () => {
        start.cancel();
        startTimers(task);
      });
      task.outcome.resolve(outcome);
    } catch (error) {
      task.outcome.reject(error as Error);
    } finally {
      for (const timer of task.timers) timer.cancel();
      running.delete(task);
      keepIdle(host);
      schedule();
    }
  }

  function startTimers(task: Running): void {
    const { milliseconds, slowAfter } = limits;
    const onProbation = (probationEnds.get(keyOf(task.job)) ?? 0) > clock.now();
    const limit = onProbation ? Math.min(milliseconds, slowAfter) : milliseconds;
    task.timers.push(clock.after(limit, () => killForTime(task, 'took too long')));
    if (limit > slowAfter) task.timers.push(clock.after(slowAfter, () => becomeSlow(task)));
  }

  function becomeSlow(task: Running): void {
    task.slow = true;
    if (task.abandoned) killForTime(task, 'took too long');
    else schedule();
  }

  // One idle host is enough between bursts.
  function keepIdle(host: JobHost<Job, Outcome>): void {
    if (!host.alive) return;
    if (idle.length === 0 || queue.length > 0) idle.push(host);
    else host.kill('was not needed');
  }

  function abandon(task: Waiting): void {
    task.outcome.reject(requestCanceled());
    if (queue.remove(task.group, task)) return;
    const current = [...running].find(({ outcome }) => outcome === task.outcome);
    if (current === undefined) return;
    // A fast job ends soon, and a new host would cost more.
    current.abandoned = true;
    if (current.slow) killForTime(current, 'took too long');
  }

  return {
    async run({ job, group, signal }) {
      if (signal?.aborted) throw requestCanceled();
      const task: Waiting = { job, group, outcome: createDeferred() };
      const onAbort = (): void => abandon(task);
      signal?.addEventListener('abort', onAbort, { once: true });
      const dropped = queue.push(task.group, task);
      dropped?.outcome.reject(new HearthError('busy', 'server busy, please try again. too many jobs are waiting'));
      schedule();
      try {
        return await task.outcome.promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    stop() {
      patienceTimer?.cancel();
      for (const { outcome } of queue.clear()) outcome.resolve(stopped);
      for (const { host } of running) host.kill('was stopped');
      for (const host of idle) host.kill('was stopped');
      idle = [];
    },
  };
}
