// Collections of documents: what callers do with them. The work that they leave is in index-work.ts.

import { randomBytes } from 'node:crypto';
import { HearthError } from '../../../base/errors.ts';
import type {
  DocumentCaller,
  DocumentSource,
  UploadedFiles,
} from '../../../server/services/documents/document-reader.ts';
import type {
  Attributes,
  FoundPassage,
  PassageQuery,
  PassageSearch,
  SearchCaller,
} from '../../../server/services/documents/passage-search.ts';
import type { CollectionFile, IndexedFile, NewCollection, StoredCollection } from './database/collection-rows.ts';
import type { FileBatch } from './database/file-batches.ts';
import type { PassageIndex } from './database/passage-index.ts';
import { IndexWork, type IndexWorkParts } from './index-work.ts';
import { ownerOfCaller } from './owner.ts';
import { readPassagesOf } from './split-passages.ts';

/** Absent key: the server has none, and all callers share their collections. */
type KeyId = string | undefined;

interface CollectionsParts extends IndexWorkParts {
  /** The embedding model of collections that name none. */
  readonly defaultModel: string | undefined;
}

/** An uploaded file that becomes part of a collection. */
export interface FileToAttach {
  readonly source: string;
  readonly attributes?: Attributes | undefined;
}

/** How many passages a reranker reads. */
const reranked = 20;

export class Collections implements PassageSearch {
  readonly #parts: CollectionsParts;
  readonly #work: IndexWork;

  constructor(parts: CollectionsParts) {
    this.#parts = parts;
    this.#work = new IndexWork(parts);
  }

  /** Goes on with what was left. */
  async start(): Promise<void> {
    for (const owner of await this.#parts.index.call('owners')) this.#work.begin(owner);
  }

  async close(): Promise<void> {
    await this.#work.stop();
    await this.#parts.index.close();
  }

  list(key: KeyId): Promise<StoredCollection[]> {
    return this.#index('list', key);
  }

  /** An empty name of a model: none. */
  async create(
    { keyId, client, signal }: SearchCaller,
    { model: given, ...fields }: Omit<NewCollection, 'id' | 'createdAt'>,
    prefix: string,
  ): Promise<StoredCollection> {
    const { models, defaultModel } = this.#parts;
    const model = (given ?? defaultModel) || undefined;
    // A wrong model is an error here, and not of every file.
    if (model !== undefined) await models.embed(model, ['test'], { sender: { keyId, client }, signal });
    const id = newId(prefix);
    await this.#index('create', keyId, { ...fields, model, id, createdAt: this.#now() });
    return this.#index('find', keyId, id);
  }

  find(key: KeyId, id: string): Promise<StoredCollection> {
    return this.#index('find', key, id);
  }

  async update(
    key: KeyId,
    id: string,
    changes: Partial<Pick<NewCollection, 'name' | 'metadata' | 'expiresAfterDays'>>,
  ): Promise<StoredCollection> {
    await this.#index('update', key, id, changes);
    return this.#index('find', key, id);
  }

  remove(key: KeyId, id: string): Promise<void> {
    return this.#index('remove', key, id);
  }

  listFiles(key: KeyId, id: string): Promise<IndexedFile[]> {
    return this.#index('listFiles', key, id);
  }

  findFile(key: KeyId, id: string, file: string): Promise<IndexedFile> {
    return this.#index('findFile', key, id, file);
  }

  async addFile(key: KeyId, id: string, source: DocumentSource, caller: DocumentCaller): Promise<IndexedFile> {
    await this.#index('find', key, id);
    const { passages, ...read } = readPassagesOf(await this.#parts.documents.read(source, caller));
    const { name = 'document', bytes } = source;
    const original = read.type === 'pdf' ? bytes : undefined;
    const file: CollectionFile = { ...this.#newFile(name, bytes.length), ...read, state: 'read' };
    await this.#index('addFiles', key, id, [{ file, passages, original }]);
    this.#work.begin(ownerOfCaller(key));
    return this.findFile(key, id, file.id);
  }

  /** Adds uploaded files, whose texts are read afterwards. Rejects with `file_not_found`. */
  async attach(key: KeyId, id: string, given: readonly FileToAttach[], batch?: FileBatch): Promise<void> {
    const uploaded = this.#uploadedFiles();
    const files: { readonly file: CollectionFile }[] = [];
    for (const { source, attributes } of given) {
      const { name, size } = await uploaded.find(key, source);
      const unread = { type: '', pages: 0, characters: 0, state: 'waiting' } as const;
      files.push({ file: { ...this.#newFile(name, size), ...unread, source, attributes, batch: batch?.id } });
    }
    await this.#index('addFiles', key, id, files, batch);
    this.#work.begin(ownerOfCaller(key));
  }

  async attachBatch(key: KeyId, id: string, files: readonly FileToAttach[]): Promise<FileBatch> {
    const batch = { id: newId('vsfb'), createdAt: this.#now(), isCanceled: false };
    await this.attach(key, id, files, batch);
    return batch;
  }

  findBatch(key: KeyId, id: string, batch: string): Promise<FileBatch> {
    return this.#index('findBatch', key, id, batch);
  }

  cancelBatch(key: KeyId, id: string, batch: string): Promise<void> {
    return this.#index('cancelBatch', key, id, batch);
  }

  setAttributes(key: KeyId, id: string, file: string, attributes: Attributes | undefined): Promise<void> {
    return this.#index('setAttributes', key, id, file, attributes);
  }

  removeFile(key: KeyId, id: string, fileId: string): Promise<void> {
    return this.#index('removeFile', key, id, fileId);
  }

  /** The text of a file as passages, in its order: those of a page, or those that end after a place. */
  async readPassages(
    key: KeyId,
    { id, file, ...window }: { id: string; file: string; page?: number; from?: number; limit: number },
  ) {
    const found = await this.findFile(key, id, file);
    return { file: found, passages: await this.#index('readPassages', key, found.id, window) };
  }

  /** A PDF file as it was sent. Rejects with `file_not_found` for one that was not kept. */
  async readOriginal(key: KeyId, id: string, file: string): Promise<Uint8Array> {
    const found = await this.findFile(key, id, file);
    const bytes = await this.#index('readOriginal', key, found.id);
    if (bytes === undefined) throw new HearthError('file_not_found', 'the collection keeps only the text of this file');
    return bytes;
  }

  async checkAll(key: KeyId, collections: readonly string[]): Promise<void> {
    for (const id of collections) await this.#index('find', key, id);
  }

  async searchAll(
    caller: SearchCaller,
    collections: readonly string[],
    query: PassageQuery,
  ): Promise<readonly FoundPassage[]> {
    const found: FoundPassage[] = [];
    for (const id of collections) found.push(...(await this.#search(caller, id, query)));
    const { limit, minScore = 0 } = query;
    const best = found.filter(({ score }) => score >= minScore).sort((a, b) => b.score - a.score);
    return best.slice(0, limit);
  }

  async #search({ keyId, client, signal }: SearchCaller, id: string, query: PassageQuery): Promise<FoundPassage[]> {
    const { models } = this.#parts;
    const { text, limit, filter, weights, isReranked = true } = query;
    const sender = { sender: { keyId, client }, signal };
    const { model, reranker: named, embedded } = await this.#index('find', keyId, id);
    const needsVector = model !== undefined && embedded > 0 && weights?.vectors !== 0;
    const [vector] = needsVector ? await models.embed(model, [text], sender) : [];
    const reranker = isReranked ? named : undefined;
    const wanted = reranker === undefined ? limit : Math.max(limit, reranked);
    const found = await this.#index('search', keyId, id, { text, vector, filter, weights, limit: wanted });
    if (reranker === undefined || found.length === 0) return found;
    const texts = found.map((passage) => passage.text);
    const ranked = await models.rerank(reranker, text, texts, sender);
    return ranked.map(({ index, relevance_score: score }) => ({ ...(found[index] as FoundPassage), score }));
  }

  #newFile(name: string, bytes: number) {
    return { id: newId('cfile'), name, bytes, createdAt: this.#now() };
  }

  #uploadedFiles(): UploadedFiles {
    const files = this.#parts.uploadedFiles();
    if (files === undefined) throw new HearthError('unsupported', 'this server stores no files (HEARTH_BATCHES)');
    return files;
  }

  #now(): number {
    return Math.floor(this.#parts.clock.now() / 1000);
  }

  #index<Name extends OwnerCall>(
    name: Name,
    key: KeyId,
    ...args: Tail<Parameters<PassageIndex[Name]>>
  ): Promise<ReturnType<PassageIndex[Name]>> {
    const all = [ownerOfCaller(key), ...args] as unknown as Parameters<PassageIndex[Name]>;
    return this.#parts.index.call(name, ...all);
  }
}

type Tail<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest] ? Rest : never;
type OwnerCall = Exclude<keyof PassageIndex, 'owners' | 'close'>;

const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;
