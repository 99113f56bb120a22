// A process that quantises one file and ends: `quantise.js <source> <target> <file type> <threads> [attached]`.
// Attached: it ends with its server. It takes all processors for minutes, so it runs at low priority and by itself.
// llama.cpp reports its progress on standard error.

import { setPriority } from 'node:os';
import { messageOf } from '../../base/errors.ts';
import { endWithServer } from './end-with-server.ts';
import { findBackend } from './llama/find-backend.ts';
import { openBackend } from './llama/open-backend.ts';
import { decideThreads } from './threads.ts';

const lowest = 19;

function quantize([source = '', target = '', fileType = '', threads = '0']: readonly string[]): number {
  setPriority(lowest);
  const api = openBackend(findBackend('cpu'));
  return api.modelQuantize(source, target, {
    ...api.quantizeDefaultParams(),
    ftype: Number(fileType),
    nthread: decideThreads(Number(threads)),
    // The server decides what may be quantised; a Q8_0 is turned back into F16 this way.
    allow_requantize: true,
  });
}

if (process.argv[6] === 'attached') endWithServer();
try {
  process.exitCode = quantize(process.argv.slice(2)) === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`error: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
