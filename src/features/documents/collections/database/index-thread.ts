// The thread with the databases of collections. Each message is a call of PassageIndex.

import { parentPort, workerData } from 'node:worker_threads';
import { toHearthError } from '../../../../base/errors.ts';
import { systemClock } from '../../../../base/time/clock.ts';
import type { IndexCall, IndexReply } from './index-client.ts';
import { PassageIndex } from './passage-index.ts';

const index = new PassageIndex(workerData as string, systemClock);

function answer({ number, name, args }: IndexCall): IndexReply {
  try {
    const call = index[name] as (...values: readonly unknown[]) => unknown;
    return { number, result: call.apply(index, args as unknown[]) };
  } catch (error) {
    const { code, message } = toHearthError(error);
    return { number, code, message };
  }
}

parentPort?.on('message', (call: IndexCall) => parentPort?.postMessage(answer(call)));
