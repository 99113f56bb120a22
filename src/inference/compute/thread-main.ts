// The program of a worker thread: runs the task of each message and posts its outcome.

import { parentPort } from 'node:worker_threads';
import { HearthError, messageOf } from '../../base/errors.ts';
import { lowerPriority, prioritySteps } from '../../base/process/lower-priority.ts';
import { createTasks, type Tasks } from './tasks.ts';
import type { ThreadJob, ThreadOutcome } from './thread.ts';

const tasks: Readonly<Record<keyof Tasks, (input: never) => unknown>> = createTasks();

async function run({ name, input }: ThreadJob): Promise<ThreadOutcome> {
  try {
    return { result: await tasks[name](input as never) };
  } catch (error) {
    if (error instanceof HearthError) return { refusal: { code: error.code, message: error.message } };
    return { fault: messageOf(error) };
  }
}

// Elsewhere it would be the priority of the entire server.
if (process.platform === 'linux') lowerPriority(prioritySteps.conversion);

parentPort?.on('message', (job: ThreadJob) => void run(job).then((outcome) => parentPort?.postMessage(outcome)));
