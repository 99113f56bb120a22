// A thread that scans logits for scan-pool.ts.

import { workerData } from 'node:worker_threads';
import { doJobs, offered, openBoard } from './generate/sampling/scan/scan-board.ts';
import type { ThreadData } from './generate/sampling/scan/scan-pool.ts';
import { createTopScan } from './generate/sampling/scan/top-scan.ts';
import { createLogitViews } from './llama/logit-views.ts';

const { buffer, vocabularySize } = workerData as ThreadData;
const board = openBoard(buffer);
const scan = createTopScan(vocabularySize);
const logitsAt = createLogitViews(vocabularySize);

for (;;) {
  const known = Atomics.load(board.counts, offered);
  doJobs(board, scan, logitsAt);
  Atomics.wait(board.counts, offered, known);
}
