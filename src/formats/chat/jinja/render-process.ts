// The process in which templates are rendered. A template comes with a model, from anywhere, and Jinja is a language
// in which one can loop for years and fill the memory. The server's own thread must not wait for it, and a worker
// thread would not hold it: when V8 cannot give a worker a large string or array, it ends the whole process. So it is
// a child process with a small heap, kept warm between renders, ended when it takes too long, replaced when it is
// gone.
//
// Its program is a function of render-program.ts, handed over as text. As a file of its own it would have to be
// JavaScript for the tests, which run from the sources, and TypeScript for the build; as text it is checked like
// everything else, and the same in both.

import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createRender, type RenderJob, type RenderOutcome } from './render-program.ts';

export interface RenderLimits {
  readonly milliseconds: number;
  readonly heapMegabytes: number;
  /** Characters that a template may write. */
  readonly maxText: number;
}

export interface RenderProcess {
  /** One job after the other, in the order they come. */
  render(job: RenderJob): Promise<RenderOutcome>;
  stop(): void;
}

export function createRenderProcess(clock: Clock, limits: RenderLimits): RenderProcess {
  let child: ChildProcess | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();

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

  async function take(job: RenderJob): Promise<RenderOutcome> {
    if (!child?.connected) child = start();
    const current = child;
    const timer = clock.after(limits.milliseconds, () => end(current, 'took too long'));
    // It keeps the server from ending while somebody waits for it, and only then.
    keepAlive(current, true);
    try {
      return await ask(current, job);
    } finally {
      timer.cancel();
      keepAlive(current, false);
    }
  }

  const verdicts = new WeakMap<ChildProcess, string>();
  function end(condemned: ChildProcess, verdict: string): void {
    verdicts.set(condemned, verdict);
    if (child === condemned) child = undefined;
    condemned.kill('SIGKILL');
  }

  function ask(asked: ChildProcess, job: RenderJob): Promise<RenderOutcome> {
    return new Promise((resolve, reject) => {
      const settle = (settleWith: () => void): void => {
        for (const [name, listener] of Object.entries(listeners)) asked.off(name, listener);
        settleWith();
      };
      const listeners = {
        message: (outcome: RenderOutcome) => settle(() => resolve(outcome)),
        error: (error: Error) =>
          settle(() => reject(new HearthError('internal', 'cannot start the renderer of templates', { cause: error }))),
        exit: () => settle(() => resolve({ fault: `it ${verdicts.get(asked) ?? 'used up its memory'}` })),
      };
      for (const [name, listener] of Object.entries(listeners)) asked.on(name, listener);
      // A process that cannot be sent to is about to exit, which is where this ends.
      asked.send(job, () => {});
    });
  }

  return {
    render(job) {
      const turn = lastTurn.then(() => take(job));
      lastTurn = turn.catch(() => {});
      return turn;
    },
    stop() {
      if (child) end(child, 'was stopped');
    },
  };
}

function keepAlive(child: ChildProcess, alive: boolean): void {
  if (alive) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

// The server ends a render that takes too long. Should the server be gone by then, the watchdog of node:vm does.
function program({ milliseconds, maxText }: RenderLimits): string {
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
