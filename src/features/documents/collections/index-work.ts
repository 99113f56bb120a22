// The work behind a collection: the texts of uploaded files, and the vectors of passages. Each owner has one file or one
// group of passages at a time; what is left goes on after a restart.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { DocumentReader, UploadedFiles } from '../../../server/services/documents/document-reader.ts';
import type { AskModels } from './ask-models.ts';
import type { IndexedFile } from './database/collection-rows.ts';
import type { IndexClient } from './database/index-client.ts';
import type { PendingPassages } from './database/passage-rows.ts';
import { IdleTime } from './idle-time.ts';
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

const retryMs = 5000;
/** On a server that is always used. */
const latePassages = 8;

export class IndexWork {
  readonly #parts: IndexWorkParts;
  /** Owners whose files are read and whose passages get vectors now. */
  readonly #running = new Map<string, Promise<void>>();
  /** Owners that have got more in the meantime. */
  readonly #again = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #idleTime: IdleTime;

  constructor(parts: IndexWorkParts) {
    this.#parts = parts;
    this.#idleTime = new IdleTime(parts);
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
      const isLate = (await this.#idleTime.wait(signal)) === 'late';
      const next = await index.call('pending', owner, isLate ? latePassages : this.#idleTime.items);
      if (next === undefined) return;
      await this.#computeVectors(owner, next, isLate);
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
      await index.call('setRead', owner, id, readPassagesOf(text), text.type === 'pdf' ? bytes : undefined);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof HearthError && error.code === 'busy') await this.#idleTime.pause(retryMs, signal);
      else await index.call('setUnreadable', owner, id, messageOf(error));
    }
  }

  async #computeVectors(
    owner: string,
    { collection, model, passages }: PendingPassages,
    isLate: boolean,
  ): Promise<void> {
    const { index, models } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const texts = passages.map(({ text }) => text);
      const sender = { keyId: keyOfOwner(owner), client: `collections ${owner}`, background: true } as const;
      const embed = (until: AbortSignal) => models.embed(model, texts, { sender, signal: until });
      const vectors = isLate ? await embed(signal) : await this.#idleTime.run(texts.length, embed, signal);
      if (vectors === undefined) return;
      const found = passages.map(({ id }, at) => ({ id, vector: vectors[at] as Float32Array }));
      await index.call('setVectors', owner, found);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof HearthError && error.code === 'busy') await this.#idleTime.pause(retryMs, signal);
      else await index.call('setProblem', owner, collection, messageOf(error));
    }
  }
}
