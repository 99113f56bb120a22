// A worker thread that runs tasks, one at a time. A thread is enough here, and starts faster than a process: the limits of
// schemas and Go templates bound the memory that a task can use.

import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred } from '../../base/deferred.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { JobHost } from '../../base/jobs/job-pool.ts';
import type { TaskName } from './tasks.ts';

export interface ThreadJob {
  readonly name: TaskName;
  readonly input: unknown;
  /** Jobs with the same key are the same work. */
  readonly key: string;
}

/** The result, the error of the task, or why the thread did not finish it. */
export type ThreadOutcome =
  | { readonly result: unknown }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } }
  | { readonly fault: string };

// Far above what the limits of tasks allow: V8 ends the entire process if a thread cannot allocate a large string.
const heapMegabytes = 1024;

/** `script` is the built thread-main.js. */
export function startThread(script: string): JobHost<ThreadJob, ThreadOutcome> {
  const worker = new Worker(script, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const online = createDeferred<void>();
  let alive = true;
  let reason: string | undefined;
  let current: Deferred<ThreadOutcome> | undefined;

  worker.on('online', () => online.resolve());
  worker.on('message', (outcome: ThreadOutcome) => current?.resolve(outcome));
  worker.on('error', ({ message }) => {
    reason ??= `failed: ${message}`;
  });
  worker.on('exit', () => {
    alive = false;
    current?.resolve({ fault: `it ${reason ?? 'ended'}` });
  });
  // A thread keeps the server running only during a job.
  worker.unref();

  return {
    get alive() {
      return alive;
    },
    async run(job, onStart) {
      const outcome = createDeferred<ThreadOutcome>();
      current = outcome;
      worker.ref();
      void online.promise.then(() => {
        if (current === outcome) onStart();
      });
      worker.postMessage(job);
      try {
        return await outcome.promise;
      } finally {
        current = undefined;
        worker.unref();
      }
    },
    kill(why) {
      alive = false;
      reason ??= why;
      void worker.terminate();
    },
  };
}
