// The process that computes an importance matrix: `imatrix-program.js [attached]`. Attached: it ends with its server. The
// order comes as JSON on standard input; progress and the result leave as lines of JSON on standard output.

import { readFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { lowerPriority, prioritySteps } from '../../base/process/lower-priority.ts';
import { toProgramFailure } from '../../base/process/program-failure.ts';
import { imatrixBytes } from '../../formats/gguf/write-imatrix.ts';
import { findBackend } from '../../inference/runner/llama/find-backend.ts';
import { openBackend } from '../../inference/runner/llama/open-backend.ts';
import { endWithServer } from '../../inference/runner/sandbox/end-with-server.ts';
import { evaluateText } from './collect/evaluate-text.ts';
import { type ImatrixMessage, type ImatrixOrder, tokensPerChunk } from './imatrix-messages.ts';

const standardInput = 0;
const standardOutput = 1;

function send(message: ImatrixMessage): void {
  writeSync(standardOutput, `${JSON.stringify(message)}\n`);
}

async function compute({ target, dataset, ...order }: ImatrixOrder): Promise<void> {
  const api = openBackend(findBackend('cpu'));
  const onProgress = (done: number, total: number): void => send({ kind: 'progress', done, total });
  const { entries, chunks } = await evaluateText(api, { ...order, onProgress });
  const file = await open(target, 'w');
  try {
    for (const bytes of imatrixBytes(entries, { datasets: [dataset], chunks, tokensPerChunk }))
      await file.writeFile(bytes);
  } finally {
    await file.close();
  }
  send({ kind: 'done', chunks, matrices: entries.length });
}

if (process.argv[2] === 'attached') endWithServer();
lowerPriority(prioritySteps.quantization);
const readOrder = async (): Promise<ImatrixOrder> => JSON.parse(readFileSync(standardInput, 'utf8')) as ImatrixOrder;
readOrder()
  .then(compute)
  .then(
    // The threads of llama.cpp would keep the process alive.
    () => process.exit(0),
    (error: unknown) => {
      send(toProgramFailure(error));
      process.exit(1);
    },
  );
