// A process that quantizes one file: `quantize.js <source> <target> <file type> <threads> [<importance matrix>] [attached]`.
// Attached: it ends with its server. It uses all processors for minutes, so it runs at low priority. llama.cpp writes its
// progress to standard error.

import { messageOf } from '../../../base/errors.ts';
import { writeErrorLine } from '../../../base/process/child-program.ts';
import { lowerPriority, prioritySteps } from '../../../base/process/lower-priority.ts';
import { type Importance, readImatrix } from '../../../formats/gguf/imatrix.ts';
import { decideThreads } from '../../protocol/decide-threads.ts';
import { findBackend } from '../llama/find-backend.ts';
import { openBackend } from '../llama/open-backend.ts';
import { packImatrix } from '../llama/pack-imatrix.ts';
import { endWithServer } from '../sandbox/end-with-server.ts';

const attached = 'attached';
/** llama.cpp reads the values until the process ends. */
let importance: readonly Importance[] = [];

async function quantize(words: readonly string[]): Promise<number> {
  const [source = '', target = '', fileType = '', threads = '0', imatrix] = words.filter((word) => word !== attached);
  lowerPriority(prioritySteps.quantization);
  if (imatrix !== undefined) importance = await readImatrix(imatrix);
  const api = openBackend(findBackend('cpu'));
  return api.modelQuantize(source, target, {
    ...api.quantizeDefaultParams(),
    ftype: Number(fileType),
    nthread: decideThreads(Number(threads)),
    // The server decides what may be quantized. It also converts Q8_0 back to F16 this way.
    allow_requantize: true,
    imatrix: imatrix === undefined ? null : packImatrix(importance),
  });
}

if (process.argv.at(-1) === attached) endWithServer();
quantize(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code === 0 ? 0 : 1;
  },
  (error: unknown) => {
    writeErrorLine(`error: ${messageOf(error)}`);
    process.exitCode = 1;
  },
);
