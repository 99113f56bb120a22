// A digest that is computed while its file grows, in a thread of its own: it reads what is there from the beginning
// without a gap, straight from the disk's cache, so that little is left to do when the last byte has come.
//
// The thread's program is a function handed over as text: as a file of its own it would have to be JavaScript for the
// tests and TypeScript for the build.

import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { type Digest, digestOfFile, parseDigest } from '../../../base/digest.ts';

export interface FollowingHash {
  /** The file is there up to this byte. */
  advance(upTo: number): void;
  /** Of the whole file, which must be there. */
  finish(): Promise<Digest>;
  stop(): Promise<void>;
}

interface Order {
  readonly upTo: number;
  readonly last: boolean;
}

type Reply = { readonly digest: string } | { readonly error: string };

// A thread is worth its start only for what takes a while.
const worthAThread = 8 * 2 ** 20;
// Between two words to the thread.
const stride = 2 * 2 ** 20;

/** Of a file that will have that size; it must be there already. */
export function createFollowingHash(path: string, size: number): FollowingHash {
  let worker: Worker | undefined;
  let told = 0;
  let outcome: Deferred<Digest> | undefined;
  let failed = false;
  const fail = (error: Error): void => {
    failed = true;
    outcome?.reject(error);
  };

  const start = (): Worker => {
    const started = new Worker(`(${followFile.toString()})(require)`, { eval: true, workerData: path });
    // Whoever waits for the digest keeps the process alive, not the thread.
    started.unref();
    started.on('message', (reply: Reply) => {
      if ('digest' in reply) outcome?.resolve(parseDigest(`sha256:${reply.digest}`));
      else fail(new Error(reply.error));
    });
    started.on('error', fail);
    started.on('exit', () => fail(new Error('the thread that computes a digest has ended')));
    return started;
  };
  const tell = (order: Order): void => {
    told = order.upTo;
    worker?.postMessage(order);
  };
  // Now, so that it is ready when the first bytes are.
  if (size >= worthAThread) worker = start();

  return {
    advance(upTo) {
      if (upTo - told >= stride) tell({ upTo, last: false });
    },
    async finish() {
      if (worker === undefined || failed) return digestOfFile(path);
      outcome = createDeferred<Digest>();
      worker.ref();
      tell({ upTo: size, last: true });
      return outcome.promise;
    },
    async stop() {
      await worker?.terminate();
    },
  };
}

/** Runs in the thread: may use nothing but its parameter and the language. */
function followFile(load: NodeJS.Require): void {
  const { openSync, readSync, closeSync } = load('node:fs') as typeof import('node:fs');
  const { createHash } = load('node:crypto') as typeof import('node:crypto');
  const { parentPort, workerData } = load('node:worker_threads') as typeof import('node:worker_threads');
  // Small enough to stay in the processor's cache between reading and hashing.
  const block = Buffer.allocUnsafe(2 ** 16);
  const hash = createHash('sha256');
  const file = openSync(workerData as string, 'r');
  let at = 0;

  function readUpTo(end: number): void {
    while (at < end) {
      const count = readSync(file, block, 0, Math.min(block.length, end - at), at);
      if (count === 0) throw new Error('the file is shorter than it should be');
      hash.update(block.subarray(0, count));
      at += count;
    }
  }

  parentPort?.on('message', ({ upTo, last }: Order) => {
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
