// The child process that renders templates. A template comes with a model from any source, and a Jinja program can loop
// for years or fill the memory, so it must not run on the server's thread. A worker thread is not enough: when V8 cannot
// allocate a large string or array in a worker, it aborts the entire process. The child process has a small heap, stays
// running between renders, is killed when a render takes too long, and is replaced when it has exited.
//
// Its program is a function of render-program.ts, passed as text. A program file would have to be JavaScript for the
// tests, which run from the sources, and TypeScript for the build. As text it is type-checked and identical in both.

import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createRender, type RenderJob, type RenderOutcome } from './render-program.ts';

export interface RenderProcessLimits {
  readonly milliseconds: number;
  readonly heapMegabytes: number;
  /** Characters that a template may write. */
  readonly maxText: number;
}

export interface RenderProcess {
  /** Renders one job at a time, in order of arrival. */
  render(job: RenderJob): Promise<RenderOutcome>;
  stop(): void;
}

export function createRenderProcess(clock: Clock, limits: RenderProcessLimits): RenderProcess {
  let child: ChildProcess | undefined;
  let lastJob: Promise<unknown> = Promise.resolve();

  function start(): ChildProcess {
    const args = [`--max-old-space-size=${limits.heapMegabytes}`, '--max-semi-space-size=8', '--eval', program(limits)];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], windowsHide: true });
    const forget = (): void => {
      if (child === started) child = undefined;
    };
    started.on('exit', forget);
    started.on('error', forget);
    return started;
  }

  async function runJob(job: RenderJob): Promise<RenderOutcome> {
    if (!child?.connected) child = start();
    const current = child;
    const timer = clock.after(limits.milliseconds, () => kill(current, 'took too long'));
    // The child keeps the server running only during a render.
    keepServerRunning(current, true);
    try {
      return await send(current, job);
    } finally {
      timer.cancel();
      keepServerRunning(current, false);
    }
  }

  const killReasons = new WeakMap<ChildProcess, string>();
  function kill(target: ChildProcess, reason: string): void {
    killReasons.set(target, reason);
    if (child === target) child = undefined;
    target.kill('SIGKILL');
  }

  function send(target: ChildProcess, job: RenderJob): Promise<RenderOutcome> {
    return new Promise((resolve, reject) => {
      const settle = (settleWith: () => void): void => {
        for (const [name, listener] of Object.entries(listeners)) target.off(name, listener);
        settleWith();
      };
      const listeners = {
        message: (outcome: RenderOutcome) => settle(() => resolve(outcome)),
        error: (error: Error) =>
          settle(() => reject(new HearthError('internal', 'cannot start the template renderer', { cause: error }))),
        exit: () => settle(() => resolve({ fault: `it ${killReasons.get(target) ?? 'used up its memory'}` })),
      };
      for (const [name, listener] of Object.entries(listeners)) target.on(name, listener);
      // If sending fails, the process is about to exit, and the exit listener settles this.
      target.send(job, () => {});
    });
  }

  return {
    render(job) {
      const result = lastJob.then(() => runJob(job));
      lastJob = result.catch(() => {});
      return result;
    },
    stop() {
      if (child) kill(child, 'was stopped');
    },
  };
}

function keepServerRunning(child: ChildProcess, keep: boolean): void {
  if (keep) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

// The server kills a render that takes too long. If the server has exited by then, the timeout of node:vm ends it.
function program({ milliseconds, maxText }: RenderProcessLimits): string {
  const jinja = JSON.stringify(createRequire(import.meta.url).resolve('@huggingface/jinja'));
  return `
    const render = (${createRender})({ jinja: require(${jinja}), maxText: ${maxText} });
    const watched = new (require('node:vm').Script)('globalThis.renderJob()');
    process.on('message', (job) => {
      globalThis.renderJob = () => render(job);
      process.send(watched.runInThisContext({ timeout: ${2 * milliseconds} }));
    });
  `;
}
