// Calls of the thread with the databases of collections. It starts with the first call.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred } from '../../../../base/deferred.ts';
import { type ErrorCode, HearthError } from '../../../../base/errors.ts';
import { makeFolder } from '../../../../base/files/make-folder.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { lockStore, type StoreLock } from '../../../../models/store/lock.ts';
import type { PassageIndex } from './passage-index.ts';

export interface IndexCall {
  readonly number: number;
  readonly name: keyof PassageIndex;
  readonly args: readonly unknown[];
}

export type IndexReply = { readonly number: number } & (
  | { readonly result: unknown }
  | { readonly code: ErrorCode; readonly message: string }
);

interface IndexClientOptions {
  readonly folder: string;
  readonly script: string;
  readonly clock: Clock;
}

interface OpenThread {
  readonly worker: Worker;
  readonly lock: StoreLock;
}

const maxWaiting = 64;

export class IndexClient {
  readonly #options: IndexClientOptions;
  readonly #waiting = new Map<number, Deferred<unknown>>();
  #thread: Promise<OpenThread> | undefined;
  #last = 0;

  constructor(options: IndexClientOptions) {
    this.#options = options;
  }

  /** Rejects with what the call throws, and with `busy` if too many wait. */
  async call<Name extends keyof PassageIndex>(
    name: Name,
    ...args: Parameters<PassageIndex[Name]>
  ): Promise<ReturnType<PassageIndex[Name]>> {
    if (this.#waiting.size >= maxWaiting) throw new HearthError('busy', 'too many requests use collections');
    const { worker } = await this.#open();
    this.#last++;
    const reply = createDeferred<unknown>();
    this.#waiting.set(this.#last, reply);
    worker.postMessage({ number: this.#last, name, args } satisfies IndexCall);
    return reply.promise as Promise<ReturnType<PassageIndex[Name]>>;
  }

  async close(): Promise<void> {
    const thread = await this.#thread?.catch(() => undefined);
    if (thread === undefined) return;
    await this.call('close');
    await thread.worker.terminate();
    await thread.lock.release();
  }

  #open(): Promise<OpenThread> {
    this.#thread ??= this.#start().catch((error: unknown) => {
      this.#thread = undefined;
      throw error;
    });
    return this.#thread;
  }

  async #start(): Promise<OpenThread> {
    const { folder, script, clock } = this.#options;
    await makeFolder(folder, { mode: 0o700 });
    const lock = await lockStore(folder, { clock });
    const worker = new Worker(script, { workerData: folder });
    // The server ends without it.
    worker.unref();
    worker.on('message', (reply: IndexReply) => this.#settle(reply));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new HearthError('internal', 'the thread of collections has ended')));
    await once(worker, 'online');
    return { worker, lock };
  }

  #settle(reply: IndexReply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ('code' in reply) waiting?.reject(new HearthError(reply.code, reply.message));
    else waiting?.resolve(reply.result);
  }

  #fail(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
