// Computes the digest of a file while it is written, on a worker thread. The worker reads the complete prefix of the
// file, still in the page cache, so that little is left to hash after the last byte.
//
// The worker's code is a function passed as text: a separate file would have to be TypeScript in tests and JavaScript
// in the build.

import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { type Digest, digestOfFile, parseDigest } from '../../../base/digest.ts';

interface HashRequest {
  readonly upTo: number;
  readonly last: boolean;
}

type HashReply = { readonly digest: string } | { readonly error: string };

// Starting a thread does not pay off for smaller files.
const minWorkerSize = 8 * 2 ** 20;
// Minimum number of bytes between two messages to the worker.
const minAdvance = 2 * 2 ** 20;

/** `size` is the final size of the file, which must exist already. */
export function createIncrementalFileHash(path: string, size: number) {
  let worker: Worker | undefined;
  let requestedUpTo = 0;
  let outcome: Deferred<Digest> | undefined;
  let failed = false;
  const fail = (error: Error): void => {
    failed = true;
    outcome?.reject(error);
  };

  const start = (): Worker => {
    const started = new Worker(`(${hashInWorker.toString()})(require)`, { eval: true, workerData: path });
    // Only a caller that waits for the digest keeps the process alive.
    started.unref();
    started.on('message', (reply: HashReply) => {
      if ('digest' in reply) outcome?.resolve(parseDigest(`sha256:${reply.digest}`));
      else fail(new Error(reply.error));
    });
    started.on('error', fail);
    started.on('exit', () => fail(new Error('the hash worker exited')));
    return started;
  };
  const send = (request: HashRequest): void => {
    requestedUpTo = request.upTo;
    worker?.postMessage(request);
  };
  // Started now, so that it is ready for the first bytes.
  if (size >= minWorkerSize) worker = start();

  return {
    /** The file is complete up to this offset. */
    advance(upTo: number): void {
      if (upTo - requestedUpTo >= minAdvance) send({ upTo, last: false });
    },
    /** The digest of the file, which must be complete. */
    async finish(): Promise<Digest> {
      if (worker === undefined || failed) return digestOfFile(path);
      outcome = createDeferred<Digest>();
      worker.ref();
      send({ upTo: size, last: true });
      return outcome.promise;
    },
    async stop(): Promise<void> {
      await worker?.terminate();
    },
  };
}

/** Runs in the worker: may use only its parameter and globals. */
function hashInWorker(load: NodeJS.Require): void {
  const { openSync, readSync, closeSync } = load('node:fs') as typeof import('node:fs');
  const { createHash } = load('node:crypto') as typeof import('node:crypto');
  const { parentPort, workerData } = load('node:worker_threads') as typeof import('node:worker_threads');
  // Small enough to stay in the CPU cache between reading and hashing.
  const block = Buffer.allocUnsafe(2 ** 16);
  const hash = createHash('sha256');
  const file = openSync(workerData as string, 'r');
  let at = 0;

  function readUpTo(end: number): void {
    while (at < end) {
      const count = readSync(file, block, 0, Math.min(block.length, end - at), at);
      if (count === 0) throw new Error('the file is shorter than expected');
      hash.update(block.subarray(0, count));
      at += count;
    }
  }

  parentPort?.on('message', ({ upTo, last }: HashRequest) => {
    try {
      readUpTo(upTo);
      if (!last) return;
      closeSync(file);
      parentPort?.postMessage({ digest: hash.digest('hex') });
    } catch (error) {
      parentPort?.postMessage({ error: String(error) });
    }
    if (last) parentPort?.close();
  });
}
