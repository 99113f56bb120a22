// The work behind a collection: the texts of uploaded files, and the vectors of passages. Each owner has one file or one
// group of passages at a time; what is left goes on after a restart.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { DocumentReader, UploadedFiles } from '../../../server/services/documents/document-reader.ts';
import type { AskModels } from './ask-models.ts';
import type { IndexedFile } from './database/collection-rows.ts';
import type { IndexClient } from './database/index-client.ts';
import type { PendingPassages } from './database/passage-index.ts';
import { keyOfOwner } from './owner.ts';
import { readPassagesOf } from './split-passages.ts';

export interface IndexWorkParts {
  readonly index: IndexClient;
  readonly documents: DocumentReader;
  /** Undefined: the server keeps no uploaded files. */
  readonly uploadedFiles: () => UploadedFiles | undefined;
  readonly models: AskModels;
  /** Whether a request that is not in the background waits for a model to be loaded. */
  readonly isModelWanted: () => boolean;
  /** Whether such a request runs a model. */
  readonly isModelUsed: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A fraction of a second: so long may a request that arrives have to share the processor. */
const passagesPerRequest = 8;
const retryMs = 5000;
const checkMs = 250;
/** On a server that is always used, vectors are computed as rarely as this. */
const patienceMs = 30_000;

export class IndexWork {
  readonly #parts: IndexWorkParts;
  /** Owners whose files are read and whose passages get vectors now. */
  readonly #running = new Map<string, Promise<void>>();
  /** Owners that have got more in the meantime. */
  readonly #again = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(parts: IndexWorkParts) {
    this.#parts = parts;
  }

  begin(owner: string): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#running.has(owner)) {
      this.#again.add(owner);
      return;
    }
    const work = this.#runOwner(owner)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#parts.logger.warn('collections are not indexed', { reason: messageOf(error) });
      })
      .finally(() => {
        this.#running.delete(owner);
        if (this.#again.delete(owner)) this.begin(owner);
      });
    this.#running.set(owner, work);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  async #runOwner(owner: string): Promise<void> {
    const { index } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const file = await index.call('nextUnread', owner);
      if (file !== undefined) {
        await this.#readFile(owner, file);
        continue;
      }
      await this.#giveWay();
      const next = await index.call('pending', owner, passagesPerRequest);
      if (next === undefined) return;
      await this.#computeVectors(owner, next);
    }
  }

  async #readFile(owner: string, { id, name, source = '' }: IndexedFile): Promise<void> {
    const { index, documents, uploadedFiles } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const files = uploadedFiles();
      if (files === undefined) throw new HearthError('unsupported', 'this server stores no files (HEARTH_BATCHES)');
      const { bytes } = await files.read(keyOfOwner(owner), source);
      const text = await documents.read({ bytes, name }, { client: `collections ${owner}`, signal });
      await index.call('setRead', owner, id, readPassagesOf(text));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof HearthError && error.code === 'busy') await this.#pause(retryMs);
      else await index.call('setUnreadable', owner, id, messageOf(error));
    }
  }

  async #computeVectors(owner: string, { collection, model, passages }: PendingPassages): Promise<void> {
    const { index, models } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const texts = passages.map(({ text }) => text);
      const sender = { keyId: keyOfOwner(owner), client: `collections ${owner}`, background: true } as const;
      const vectors = await models.embed(model, texts, { sender, signal });
      const found = passages.map(({ id }, at) => ({ id, vector: vectors[at] as Float32Array }));
      await index.call('setVectors', owner, found);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof HearthError && error.code === 'busy') await this.#pause(retryMs);
      else await index.call('setProblem', owner, collection, messageOf(error));
    }
  }

  /** Until nobody else needs the processor. */
  async #giveWay(): Promise<void> {
    const { isModelWanted, isModelUsed } = this.#parts;
    const { signal } = this.#stopping;
    for (let waitedMs = 0; !signal.aborted; waitedMs += checkMs) {
      if (!isModelWanted() && (!isModelUsed() || waitedMs >= patienceMs)) return;
      await this.#pause(checkMs);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(milliseconds, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      const stop = (): void => {
        timer.cancel();
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}
