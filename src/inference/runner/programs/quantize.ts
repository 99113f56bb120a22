// A process that quantizes one file: `quantize.js <source> <target> <file type> <threads> [attached]`. Attached: it ends
// with its server. It uses all processors for minutes, so it runs at low priority. llama.cpp writes its progress to
// standard error.

import { messageOf } from '../../../base/errors.ts';
import { writeErrorLine } from '../../../base/process/child-program.ts';
import { lowerPriority, prioritySteps } from '../../../base/process/lower-priority.ts';
import { decideThreads } from '../../protocol/decide-threads.ts';
import { findBackend } from '../llama/find-backend.ts';
import { openBackend } from '../llama/open-backend.ts';
import { endWithServer } from '../sandbox/end-with-server.ts';

function quantize([source = '', target = '', fileType = '', threads = '0']: readonly string[]): number {
  lowerPriority(prioritySteps.quantization);
  const api = openBackend(findBackend('cpu'));
  return api.modelQuantize(source, target, {
    ...api.quantizeDefaultParams(),
    ftype: Number(fileType),
    nthread: decideThreads(Number(threads)),
    // The server decides what may be quantized. It also converts Q8_0 back to F16 this way.
    allow_requantize: true,
  });
}

if (process.argv[6] === 'attached') endWithServer();
try {
  process.exitCode = quantize(process.argv.slice(2)) === 0 ? 0 : 1;
} catch (error) {
  writeErrorLine(`error: ${messageOf(error)}`);
  process.exitCode = 1;
}
