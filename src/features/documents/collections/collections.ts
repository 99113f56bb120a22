// Collections of documents: adding files, vectors that are computed in the background, and the search.

import { randomBytes } from 'node:crypto';
import { badRequest, HearthError, messageOf } from '../../../base/errors.ts';
import { asObject, parseJson } from '../../../base/json-values.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { InternalRequests } from '../../../server/http/internal-requests.ts';
import type { DocumentCaller, DocumentSource } from '../../../server/services/documents/document-reader.ts';
import type { DocumentTexts } from '../document-texts.ts';
import type { IndexClient } from './index-client.ts';
import type { CollectionFile, FoundPassage, PendingPassages, StoredCollection } from './passage-index.ts';
import { splitPassages } from './split-passages.ts';

interface CollectionsParts {
  readonly index: IndexClient;
  readonly documents: DocumentTexts;
  readonly requests: Pick<InternalRequests, 'send'>;
  /** Whether a request that is not in the background waits for a model to be loaded. */
  readonly isModelWanted: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Absent key: the server has none, and all callers share their collections. */
type KeyId = string | undefined;

const sharedOwner = 'local';
const passagesPerRequest = 16;
const pauseMs = 5000;
/** How many passages a reranker reads. */
const reranked = 20;

export class Collections {
  readonly #parts: CollectionsParts;
  /** Owners whose passages get vectors now. */
  readonly #running = new Map<string, Promise<void>>();
  /** Owners that have got more passages in the meantime. */
  readonly #again = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(parts: CollectionsParts) {
    this.#parts = parts;
  }

  list(key: KeyId): Promise<StoredCollection[]> {
    return this.#parts.index.call('list', ownerOf(key));
  }

  async create(key: KeyId, fields: Pick<StoredCollection, 'name' | 'model' | 'reranker'>, signal: AbortSignal) {
    // A wrong model is an error here, and not of every file.
    if (fields.model !== undefined) await this.#embed(key, fields.model, ['test'], signal);
    const { index, clock } = this.#parts;
    const id = `coll_${randomBytes(12).toString('hex')}`;
    await index.call('create', ownerOf(key), { ...fields, id, createdAt: Math.floor(clock.now() / 1000) });
    return index.call('find', ownerOf(key), id);
  }

  async show(key: KeyId, id: string) {
    const collection = await this.#parts.index.call('find', ownerOf(key), id);
    return { collection, files: await this.#parts.index.call('listFiles', ownerOf(key), id) };
  }

  remove(key: KeyId, id: string): Promise<void> {
    return this.#parts.index.call('remove', ownerOf(key), id);
  }

  async addFile(key: KeyId, id: string, source: DocumentSource, caller: DocumentCaller): Promise<CollectionFile> {
    const { index, documents, clock } = this.#parts;
    await index.call('find', ownerOf(key), id);
    const { type, pages } = await documents.read(source, caller);
    const passages = splitPassages(pages, type === 'pdf');
    if (passages.length === 0) throw badRequest('the document has no text');
    const file = {
      id: `cfile_${randomBytes(12).toString('hex')}`,
      name: source.name ?? 'document',
      type,
      pages: pages.length,
      characters: pages.reduce((sum, page) => sum + page.length, 0),
      createdAt: Math.floor(clock.now() / 1000),
    };
    await index.call('addFile', ownerOf(key), id, file, passages);
    this.#computeVectors(ownerOf(key));
    return file;
  }

  removeFile(key: KeyId, id: string, fileId: string): Promise<void> {
    return this.#parts.index.call('removeFile', ownerOf(key), id, fileId);
  }

  async search(
    key: KeyId,
    id: string,
    { text, limit }: { readonly text: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<FoundPassage[]> {
    const { index } = this.#parts;
    const { model, reranker, embedded } = await index.call('find', ownerOf(key), id);
    const [vector] = model === undefined || embedded === 0 ? [] : await this.#embed(key, model, [text], signal);
    const wanted = reranker === undefined ? limit : Math.max(limit, reranked);
    const found = await index.call('search', ownerOf(key), id, { text, vector, limit: wanted });
    if (reranker === undefined || found.length === 0) return found;
    const documents = found.map((passage) => passage.text);
    const { results } = await this.#ask(key, '/api/rerank', { model: reranker, query: text, documents }, signal);
    const ranked = results as readonly { readonly index: number; readonly relevance_score: number }[];
    return ranked
      .map(({ index: at, relevance_score: score }) => ({ ...(found[at] as FoundPassage), score }))
      .slice(0, limit);
  }

  /** Goes on with what was left. */
  async start(): Promise<void> {
    for (const owner of await this.#parts.index.call('owners')) this.#computeVectors(owner);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
    await this.#parts.index.close();
  }

  #computeVectors(owner: string): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#running.has(owner)) {
      this.#again.add(owner);
      return;
    }
    const work = this.#runOwner(owner)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#parts.logger.warn('passages stay without vectors', { reason: messageOf(error) });
      })
      .finally(() => {
        this.#running.delete(owner);
        if (this.#again.delete(owner)) this.#computeVectors(owner);
      });
    this.#running.set(owner, work);
  }

  async #runOwner(owner: string): Promise<void> {
    const { index, isModelWanted } = this.#parts;
    const { signal } = this.#stopping;
    for (;;) {
      while (isModelWanted() && !signal.aborted) await this.#pause();
      if (signal.aborted) return;
      const next = await index.call('pending', owner, passagesPerRequest);
      if (next === undefined) return;
      await this.#computeNext(owner, next);
    }
  }

  async #computeNext(owner: string, { collection, model, passages }: PendingPassages): Promise<void> {
    const { index } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const texts = passages.map(({ text }) => text);
      const vectors = await this.#embed(owner === sharedOwner ? undefined : owner, model, texts, signal);
      const found = passages.map(({ id }, at) => ({ id, vector: vectors[at] as Float32Array }));
      await index.call('setVectors', owner, found);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof HearthError && error.code === 'busy') await this.#pause();
      else await index.call('setProblem', owner, collection, messageOf(error));
    }
  }

  #pause(): Promise<void> {
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(pauseMs, () => {
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

  async #embed(key: KeyId, model: string, input: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { embeddings } = await this.#ask(key, '/api/embed', { model, input }, signal);
    if (!Array.isArray(embeddings) || embeddings.length !== input.length)
      throw new HearthError('request_failed', 'the embedding model sent no vectors');
    return embeddings.map((values) => Float32Array.from(values as number[]));
  }

  /** Asks this server in the background, like the line of a batch. */
  async #ask(
    keyId: KeyId,
    path: string,
    body: object,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#parts.requests.send({
      path,
      body: Buffer.from(JSON.stringify(body)),
      sender: { keyId, client: `collections ${ownerOf(keyId)}` },
      signal,
    });
    const value = asObject(parseJson(response.body));
    if (response.status === 200) return value;
    const isBusy = response.status === 429 || response.status === 503;
    throw new HearthError(isBusy ? 'busy' : 'bad_request', String(value['error'] ?? `status ${response.status}`));
  }
}

const ownerOf = (key: KeyId): string => key ?? sharedOwner;
