// A process that reads one document: `extract-program.js <type> [attached]`. Attached: it ends with its server. The
// document comes on standard input, the text leaves as JSON on standard output. Documents may come from anywhere, so they
// are not read in the server itself.

import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { writeResult } from '../../../base/process/child-program.ts';
import { lowerPriority, prioritySteps } from '../../../base/process/lower-priority.ts';
import { endWithServer } from '../../../inference/runner/sandbox/end-with-server.ts';
import type { DocumentType } from '../../../server/services/documents/document-reader.ts';
import { decodeFile } from '../decode-file.ts';
import { documentLimits } from '../document-limits.ts';
import type { ExtractMessage } from './extract-messages.ts';

const standardInput = 0;

// Typed arrays are outside of the heap, so that V8 does not limit them. Unpacking fills memory slowly enough for this.
const watchProgram = `
  const { workerData: maxBytes } = require('node:worker_threads');
  setInterval(() => {
    if (process.memoryUsage.rss() < maxBytes) return;
    require('node:fs').writeSync(1, JSON.stringify({ refused: 'it needs too much memory' }));
    process.kill(process.pid, 'SIGKILL');
  }, 20);
`;

async function readPages(type: string | undefined, bytes: Buffer): Promise<readonly string[]> {
  switch (type as DocumentType) {
    case 'pdf':
      return (await import('./read-pdf.ts')).readPdf(bytes);
    case 'docx':
      return [await (await import('./read-docx.ts')).readDocx(bytes)];
    case 'html':
      return [(await import('./read-html.ts')).htmlToText(decodeFile(bytes))];
    case 'text':
      return [decodeFile(bytes)];
  }
}

async function extract(): Promise<ExtractMessage> {
  try {
    return { pages: await readPages(process.argv[2], readFileSync(standardInput)) };
  } catch (error) {
    if (error instanceof HearthError) return { refused: error.message };
    return { refused: `it cannot be read: ${messageOf(error)}` };
  }
}

if (process.argv[3] === 'attached') endWithServer();
// A request waits for it, and the models wait for requests.
lowerPriority(prioritySteps.model);
new Worker(watchProgram, { eval: true, workerData: documentLimits.memoryMegabytes * 2 ** 20 }).unref();
void extract().then((message) => writeResult(JSON.stringify(message)));
