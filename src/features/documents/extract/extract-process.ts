// A child process that reads one document, in the sandbox. It ends with it, so that no document can reach another one.

import type { Readable, Writable } from 'node:stream';
import { createDeferred } from '../../../base/deferred.ts';
import type { JobHost } from '../../../base/jobs/job-pool.ts';
import { type ChildSettings, spawnChild } from '../../../base/process/spawn-child.ts';
import type { DocumentType } from '../../../server/services/documents/document-reader.ts';
import { documentLimits } from '../document-limits.ts';
import { type ExtractMessage, maxMessageBytes, parseExtractMessage } from './extract-messages.ts';

export interface ExtractJob {
  readonly type: DocumentType;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

export interface ExtractProgram {
  readonly script: string;
  readonly childSettings: ChildSettings;
}

type ExtractHost = JobHost<ExtractJob, ExtractMessage>;

export function createExtractHost({ script, childSettings }: ExtractProgram): ExtractHost {
  let isUsed = false;
  let kill: ExtractHost['kill'] = () => {};
  return {
    get alive() {
      return !isUsed;
    },
    kill: (reason) => kill(reason),
    async run({ type, bytes }, onStart) {
      isUsed = true;
      const outcome = createDeferred<ExtractMessage>();
      const child = spawnChild(childSettings, {
        nodeArgs: [`--max-old-space-size=${documentLimits.heapMegabytes}`],
        script,
        args: [type, 'attached'],
        read: [],
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      let refused: string | undefined;
      kill = (reason) => {
        refused ??= `it ${reason}`;
        child.kill('SIGKILL');
      };
      const chunks: Buffer[] = [];
      let received = 0;
      (child.stdout as Readable).on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxMessageBytes) kill('has too much text');
        else chunks.push(chunk);
      });
      child.on('error', (error) => outcome.reject(error));
      child.on('close', () => {
        const message = parseExtractMessage(Buffer.concat(chunks).toString('utf8'));
        outcome.resolve(refused === undefined ? (message ?? { refused: 'it needs too much memory' }) : { refused });
      });
      onStart();
      // A process that has ended does not read.
      (child.stdin as Writable).on('error', () => {}).end(bytes);
      return outcome.promise;
    },
  };
}
