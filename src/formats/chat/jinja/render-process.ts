// A child process that renders templates. A template comes with a model from any source, and a Jinja program can loop
// for years or fill the memory, so it must not run on the server's thread. A worker thread is not enough: when V8 cannot
// allocate a large string or array in a worker, it aborts the entire process. The child process has a small heap and
// stays running between renders. base/jobs decides when it is killed.
//
// The program is a function of render-program.ts, passed as text. A program file would have to be JavaScript for the
// tests, which run from the sources, and TypeScript for the build. As text it is type-checked and identical in both.

import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { JobHost } from '../../../base/jobs/job-pool.ts';
import { lowerPriority, prioritySteps } from '../../../base/process/lower-priority.ts';
import { spawnChild } from '../../../base/process/spawn-child.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { createPythonFilters } from './python-filters.ts';
import { createPythonInterpreter } from './python-interpreter.ts';
import { createLoopInterpreter } from './python-loops.ts';
import { createPythonOperators } from './python-operators.ts';
import { createPrintf } from './python-printf.ts';
import { createPythonText } from './python-text.ts';
import { createPythonValues } from './python-values.ts';
import { createRender, type RenderJob, type RenderOutcome } from './render-program.ts';

export interface RenderProcessLimits {
  /** Milliseconds of one render. */
  readonly milliseconds: number;
  readonly heapMegabytes: number;
  /** Characters that a template may write. */
  readonly maxText: number;
}

type RenderProcess = JobHost<RenderJob, RenderOutcome>;

const ready = 'ready';

// A prompt waits for its render, so the process has the server's priority. A render that is not done by then must not take
// time from the models. The process then ends with it: the priority cannot be raised again.
const lowerPriorityAfterMs = 100;

const findJinja = (): string => createRequire(import.meta.filename).resolve('@huggingface/jinja');

/** `launcher` is the script that applies the sandbox. */
export function startRenderProcess(clock: Clock, limits: RenderProcessLimits, launcher?: string): RenderProcess {
  // The process needs no environment variable, and the server's contain secrets.
  const settings = { environment: {}, launcher };
  const jinja = findJinja();
  const heap = [`--max-old-space-size=${limits.heapMegabytes}`, '--max-semi-space-size=8'];
  const child = spawnChild(settings, {
    nodeArgs: [...heap, '--eval', program(jinja, limits)],
    read: [packageFolder(jinja)],
    // Node 24 reads the package.json of the working folder or of one above it, and fails if the sandbox forbids that.
    cwd: packageFolder(jinja),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const started = createDeferred<void>();
  let alive = true;
  let killReason: string | undefined;
  let current: { resolve(outcome: RenderOutcome): void; reject(error: Error): void } | undefined;

  child.on('message', (message: RenderOutcome | typeof ready) => {
    if (message === ready) started.resolve();
    else current?.resolve(message);
  });
  child.on('error', (cause) => {
    alive = false;
    current?.reject(new HearthError('internal', 'cannot start the template renderer', { cause }));
  });
  child.on('exit', () => {
    alive = false;
    current?.resolve({ fault: `it ${killReason ?? 'used up its memory'}` });
  });
  keepServerRunning(child, false);

  const kill = (reason: string): void => {
    alive = false;
    killReason ??= reason;
    child.kill('SIGKILL');
  };

  return {
    get alive() {
      return alive && child.connected;
    },
    async run(job, onStart) {
      const outcome = createDeferred<RenderOutcome>();
      let lowering: Timer | undefined;
      let isLowered = false;
      current = outcome;
      // The child keeps the server running only during a render.
      keepServerRunning(child, true);
      void started.promise.then(() => {
        if (current !== outcome) return;
        onStart();
        lowering = clock.after(lowerPriorityAfterMs, () => {
          isLowered = true;
          if (alive && child.pid !== undefined) lowerPriority(prioritySteps.conversion, child.pid);
        });
        // If sending fails, the process is about to exit, and the exit listener settles this.
        child.send(job, () => {});
      });
      try {
        return await outcome.promise;
      } finally {
        lowering?.cancel();
        current = undefined;
        keepServerRunning(child, false);
        if (isLowered) kill('has a low priority');
      }
    },
    kill,
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

/** The folder of the package that has this file. */
function packageFolder(file: string): string {
  const folder = dirname(file);
  return existsSync(join(folder, 'package.json')) ? folder : packageFolder(folder);
}

// The server kills a render that takes too long. If the server has exited by then, the timeout of node:vm ends it.
function program(jinja: string, { milliseconds, maxText }: RenderProcessLimits): string {
  return `
    const jinja = require(${JSON.stringify(jinja)});
    const values = (${createPythonValues})(jinja);
    const text = (${createPythonText})(values);
    const printf = (${createPrintf})(values);
    const operators = (${createPythonOperators})(values, text, printf, ${maxText});
    const Loops = (${createLoopInterpreter})(jinja, values, operators);
    const filters = (${createPythonFilters})(values, printf);
    const Interpreter = (${createPythonInterpreter})(Loops, values, operators, filters);
    const render = (${createRender})({ jinja, Interpreter, maxText: ${maxText} });
    const watched = new (require('node:vm').Script)('globalThis.renderJob()');
    process.on('message', (job) => {
      globalThis.renderJob = () => render(job);
      process.send(watched.runInThisContext({ timeout: ${2 * milliseconds} }));
    });
    process.send('${ready}');
  `;
}
