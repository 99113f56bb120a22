// A thread that chooses tokens for choice-pool.ts.

import { workerData } from 'node:worker_threads';
import koffi from 'koffi';
import { systemClock } from '../../../../../base/time/clock.ts';
import { bindChoiceSamplers } from '../../../llama/bindings/bind-samplers.ts';
import { awaitJobs, doJobs, offered, openBoard, wakeThreads } from './choice-board.ts';
import type { ThreadData } from './choice-pool.ts';
import { createChoiceMaker } from './create-choice-maker.ts';

const { buffer, library, vocabularySize, thread } = workerData as ThreadData;
const board = openBoard(buffer);
const maker = createChoiceMaker(bindChoiceSamplers(koffi.load(library)), vocabularySize, systemClock);

for (;;) {
  const known = Atomics.load(board.counts, offered);
  wakeThreads(board);
  doJobs(board, maker);
  awaitJobs(board, known, { thread, clock: systemClock });
}
