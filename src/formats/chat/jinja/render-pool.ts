// Distributes renders over a few processes, so that no template and no client can make others wait long. A job that runs
// longer than `slowAfter` is slow: the jobs behind it continue in another process, and if no process is free, the job
// that has run longest is killed. A template that was killed for its time gets only `slowAfter` for a while.

import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { type RenderProcess, type RenderProcessLimits, startRenderProcess } from './render-process.ts';
import type { RenderJob, RenderOutcome } from './render-program.ts';
import { createRenderQueue } from './render-queue.ts';

export interface RenderPoolLimits extends RenderProcessLimits {
  readonly maxProcesses: number;
  /** Jobs that wait for a process. */
  readonly maxWaiting: number;
  /** Milliseconds that a process may take to start. */
  readonly startMilliseconds: number;
  /** Milliseconds after which a job is slow. */
  readonly slowAfter: number;
  /** Milliseconds during which a template that was killed has less time. */
  readonly probation: number;
}

export interface RenderRequest {
  readonly job: RenderJob;
  /** Identifies the client: clients take turns. */
  readonly client: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RenderPool {
  /** Rejects with `cancelled` when the signal aborts, and with `busy` if too many jobs wait. */
  render(request: RenderRequest): Promise<RenderOutcome>;
  /** Ends all processes and jobs. A later render starts a new process. */
  stop(): void;
}

interface Task {
  readonly job: RenderJob;
  readonly group: string;
  readonly outcome: Deferred<RenderOutcome>;
}

interface RunningTask extends Task {
  readonly process: RenderProcess;
  slow: boolean;
  abandoned: boolean;
  timers: Timer[];
}

// Per client and template: one slow job, and one behind it.
const maxPerGroup = 2;
// Templates on probation.
const maxRemembered = 32;

export function createRenderPool(clock: Clock, limits: RenderPoolLimits): RenderPool {
  const queue = createRenderQueue<Task>(limits.maxWaiting);
  const running = new Set<RunningTask>();
  const probationEnds = new Map<string, number>();
  let idle: RenderProcess[] = [];

  const mayRun = (group: string): boolean => {
    const own = [...running].filter((task) => task.group === group);
    return own.length < maxPerGroup && own.every(({ slow }) => slow);
  };

  function schedule(): void {
    while (queue.hasAllowed(mayRun)) {
      const process = freeProcess();
      if (process === undefined) {
        killSlowest();
        return;
      }
      const task = queue.take(mayRun);
      if (task) void run(task, process);
    }
  }

  function freeProcess(): RenderProcess | undefined {
    idle = idle.filter(({ alive }) => alive);
    return idle.pop() ?? (running.size < limits.maxProcesses ? startRenderProcess(limits) : undefined);
  }

  // A set is in order of insertion: the first slow job has run longest. Its end schedules the next one.
  function killSlowest(): void {
    const alive = [...running].filter(({ process }) => process.alive);
    const slowest = alive.length === running.size ? alive.find(({ slow }) => slow) : undefined;
    if (slowest) killForTime(slowest, 'took too long while others were waiting');
  }

  function killForTime({ job, process }: RunningTask, reason: string): void {
    probationEnds.delete(job.source);
    probationEnds.set(job.source, clock.now() + limits.probation);
    for (const oldest of probationEnds.keys()) if (probationEnds.size > maxRemembered) probationEnds.delete(oldest);
    process.kill(reason);
  }

  async function run(waiting: Task, process: RenderProcess): Promise<void> {
    const task: RunningTask = { ...waiting, process, slow: false, abandoned: false, timers: [] };
    running.add(task);
    const start = clock.after(limits.startMilliseconds, () => process.kill('could not start in time'));
    task.timers.push(start);
    try {
      const outcome = await process.run(task.job, () => {
        start.cancel();
        startTimers(task);
      });
      task.outcome.resolve(outcome);
    } catch (error) {
      task.outcome.reject(error as Error);
    } finally {
      for (const timer of task.timers) timer.cancel();
      running.delete(task);
      keepIdle(process);
      schedule();
    }
  }

  function startTimers(task: RunningTask): void {
    const { milliseconds, slowAfter } = limits;
    const onProbation = (probationEnds.get(task.job.source) ?? 0) > clock.now();
    const limit = onProbation ? Math.min(milliseconds, slowAfter) : milliseconds;
    task.timers.push(clock.after(limit, () => killForTime(task, 'took too long')));
    if (limit > slowAfter) task.timers.push(clock.after(slowAfter, () => becomeSlow(task)));
  }

  function becomeSlow(task: RunningTask): void {
    task.slow = true;
    if (task.abandoned) killForTime(task, 'took too long');
    else schedule();
  }

  // One idle process is enough between bursts.
  function keepIdle(process: RenderProcess): void {
    if (!process.alive) return;
    if (idle.length === 0 || queue.length > 0) idle.push(process);
    else process.kill('was not needed');
  }

  function abandon(task: Task): void {
    task.outcome.reject(new HearthError('cancelled', 'request canceled'));
    if (queue.remove(task.group, task)) return;
    const current = [...running].find(({ outcome }) => outcome === task.outcome);
    if (current === undefined) return;
    // A fast job ends soon, and a new process would cost more.
    current.abandoned = true;
    if (current.slow) killForTime(current, 'took too long');
  }

  return {
    async render({ job, client, signal }) {
      if (signal?.aborted) throw new HearthError('cancelled', 'request canceled');
      const task: Task = { job, group: JSON.stringify([client, job.source]), outcome: createDeferred() };
      const onAbort = (): void => abandon(task);
      signal?.addEventListener('abort', onAbort, { once: true });
      const dropped = queue.push(task.group, task);
      dropped?.outcome.reject(new HearthError('busy', 'server busy, please try again. too many prompts are waiting'));
      schedule();
      try {
        return await task.outcome.promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    stop() {
      for (const { outcome } of queue.clear()) outcome.resolve({ fault: 'it was stopped' });
      for (const { process } of running) process.kill('was stopped');
      for (const process of idle) process.kill('was stopped');
      idle = [];
    },
  };
}
