// A thread that chooses tokens for choice-pool.ts.

import { workerData } from 'node:worker_threads';
import koffi from 'koffi';
import { systemClock } from '../../../../../base/time/clock.ts';
import { bindSamplerApply } from '../../../llama/bindings/bind-samplers.ts';
import { awaitJobs, doJobs, offered, openBoard, wakeThreads } from './choice-board.ts';
import type { ThreadData } from './choice-pool.ts';
import { createChoose } from './create-choose.ts';

const { buffer, library, vocabularySize, thread } = workerData as ThreadData;
const board = openBoard(buffer);
const choose = createChoose({ samplerApply: bindSamplerApply(koffi.load(library)) }, vocabularySize);

for (;;) {
  const known = Atomics.load(board.counts, offered);
  wakeThreads(board);
  doJobs(board, choose);
  awaitJobs(board, known, { thread, clock: systemClock });
}
