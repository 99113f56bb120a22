// Collections in SQLite: a database for each owner, with an index of words (FTS5) and a vector for each passage. All calls
// block, so they run in a thread of their own (index-thread.ts).

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { HearthError } from '../../../../base/errors.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import type { Attributes, FoundPassage, PassageQuery } from '../../../../server/services/documents/passage-search.ts';
import type { Passage } from '../split-passages.ts';
import {
  type CollectionFile,
  deleteFile,
  type IndexedFile,
  insertCollection,
  insertFile,
  type NewCollection,
  readFiles,
  type StoredCollection,
  toCollection,
  updateCollection,
} from './collection-rows.ts';
import { cancelBatch, type FileBatch, insertBatch, readBatch } from './file-batches.ts';
import { matchAttributes } from './match-attributes.ts';
import { allRows, countRows, inTransaction, openDatabase } from './open-database.ts';
import { insertOriginal, readOriginal } from './originals.ts';
import { insertPassages, type PendingPassages, readFound, readPassages, readPending } from './passage-rows.ts';
import { joinRankings, rankByVector, rankByWords, toUnit } from './rank-passages.ts';

interface AddedFile {
  readonly file: CollectionFile;
  readonly passages?: readonly Passage[];
  /** The bytes of a PDF file. */
  readonly original?: Uint8Array | undefined;
}

type IndexQuery = Pick<PassageQuery, 'text' | 'limit' | 'filter' | 'weights'> & {
  readonly vector?: Float32Array | undefined;
};

const limits = { collections: 100, files: 1000, ownerPassages: 50_000, allPassages: 500_000 };
const idPattern = /^[A-Za-z0-9_-]{1,100}$/;
const databaseSuffix = '.sqlite';
/** A search notes its time only if the last one is older, so that few searches write. */
const activeSeconds = 60;

export class PassageIndex {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #databases = new Map<string, Database>();

  /** This process alone uses the folder. */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  owners(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(databaseSuffix))
      .map((name) => name.slice(0, -databaseSuffix.length));
  }

  create(owner: string, collection: NewCollection): void {
    const database = this.#of(owner);
    if (countRows(database, 'SELECT count(*) AS n FROM collections') >= limits.collections)
      throw full(`there are ${limits.collections} collections`);
    insertCollection(database, collection);
  }

  list(owner: string): StoredCollection[] {
    const rows = allRows(this.#of(owner), 'SELECT * FROM collections ORDER BY created, rowid');
    return rows.map((row) => this.#expire(owner, toCollection(this.#of(owner), row)));
  }

  /** Throws `collection_not_found`. */
  find(owner: string, id: string): StoredCollection {
    const [row] = allRows(this.#of(owner), 'SELECT * FROM collections WHERE id = ?', [id]);
    if (row === undefined)
      throw new HearthError('collection_not_found', `no collection has the id "${id.slice(0, 64)}"`);
    return this.#expire(owner, toCollection(this.#of(owner), row));
  }

  update(
    owner: string,
    id: string,
    changes: Partial<Pick<NewCollection, 'name' | 'metadata' | 'expiresAfterDays'>>,
  ): void {
    updateCollection(this.#of(owner), { ...this.find(owner, id), ...changes });
  }

  remove(owner: string, id: string): void {
    this.find(owner, id);
    this.#change(owner, (database) => {
      for (const file of readFiles(database, id)) deleteFile(database, file.id);
      database.run('DELETE FROM fileBatches WHERE collection = ?', [id]);
      database.run('DELETE FROM collections WHERE id = ?', [id]);
    });
  }

  listFiles(owner: string, collection: string): IndexedFile[] {
    this.find(owner, collection);
    return readFiles(this.#of(owner), collection);
  }

  /** `id`: that of the file, or of its source. Throws `file_not_found`. */
  findFile(owner: string, collection: string, id: string): IndexedFile {
    this.find(owner, collection);
    const [file] = readFiles(this.#of(owner), collection, id);
    if (file === undefined)
      throw new HearthError('file_not_found', `no file of the collection has the id "${id.slice(0, 64)}"`);
    return file;
  }

  /** All of it or nothing is stored. Files with the same source are replaced. */
  addFiles(owner: string, collection: string, files: readonly AddedFile[], batch?: FileBatch): void {
    const { files: count } = this.find(owner, collection);
    const added = files.flatMap(({ passages = [] }) => passages).length;
    this.#checkRoom(owner, added);
    this.#change(owner, (database) => {
      // A model that failed is tried again.
      database.run('UPDATE collections SET problem = NULL WHERE id = ?', [collection]);
      let total = count;
      for (const { file, passages = [], original } of files) {
        const old = file.source === undefined ? [] : readFiles(database, collection, file.source);
        for (const { id } of old) deleteFile(database, id);
        total += 1 - old.length;
        if (total > limits.files) throw full(`the collection has ${limits.files} files`);
        insertFile(database, collection, file);
        insertPassages(database, file.id, passages);
        insertOriginal(database, file.id, original);
      }
      if (batch !== undefined) insertBatch(database, collection, batch);
    });
  }

  /** The next file whose text has to be read. */
  nextUnread(owner: string): (IndexedFile & { readonly collection: string }) | undefined {
    const [row] = allRows(
      this.#of(owner),
      "SELECT id, collection FROM files WHERE state = 'waiting' ORDER BY created, rowid LIMIT 1",
    );
    if (row === undefined) return undefined;
    const collection = String(row['collection']);
    const [file] = readFiles(this.#of(owner), collection, String(row['id']));
    return file && { ...file, collection };
  }

  /** What was read, or why it was not. A file that was removed or canceled in the meantime stays so. */
  setRead(
    owner: string,
    id: string,
    read: Pick<CollectionFile, 'type' | 'pages' | 'characters'> & { readonly passages: readonly Passage[] },
    original?: Uint8Array,
  ): void {
    this.#checkRoom(owner, read.passages.length);
    this.#change(owner, (database) => {
      const { changes } = database.run(
        "UPDATE files SET state = 'read', type = ?, pages = ?, characters = ? WHERE id = ? AND state = 'waiting'",
        [read.type, read.pages, read.characters, id],
      );
      if (changes === 0) return;
      insertPassages(database, id, read.passages);
      insertOriginal(database, id, original);
    });
  }

  setUnreadable(owner: string, id: string, problem: string): void {
    this.#of(owner).run("UPDATE files SET state = 'failed', problem = ? WHERE id = ? AND state = 'waiting'", [
      problem.slice(0, 500),
      id,
    ]);
  }

  setAttributes(owner: string, collection: string, id: string, attributes: Attributes | undefined): void {
    const file = this.findFile(owner, collection, id);
    const text = attributes === undefined ? null : JSON.stringify(attributes);
    this.#of(owner).run('UPDATE files SET attributes = ? WHERE id = ?', [text, file.id]);
  }

  /** Throws `file_not_found`. */
  removeFile(owner: string, collection: string, id: string): void {
    const file = this.findFile(owner, collection, id);
    this.#change(owner, (database) => deleteFile(database, file.id));
  }

  /** Throws `collection_not_found`. */
  findBatch(owner: string, collection: string, id: string): FileBatch {
    return readBatch(this.#of(owner), collection, id);
  }

  cancelBatch(owner: string, collection: string, id: string): void {
    this.findBatch(owner, collection, id);
    this.#change(owner, (database) => cancelBatch(database, id));
  }

  /** In the order of the document. The text of a page, or of the document from a place on. */
  readPassages(owner: string, file: string, window: Parameters<typeof readPassages>[2]): Passage[] {
    return readPassages(this.#of(owner), file, window);
  }

  /** Undefined if it was not kept. */
  readOriginal(owner: string, file: string): Uint8Array | undefined {
    return readOriginal(this.#of(owner), file);
  }

  pending(owner: string, count: number): PendingPassages | undefined {
    return readPending(this.#of(owner), count);
  }

  setVectors(owner: string, vectors: readonly { readonly id: number; readonly vector: Float32Array }[]): void {
    this.#change(owner, (database) => {
      for (const { id, vector } of vectors)
        database.run('UPDATE passages SET vector = ? WHERE id = ?', [new Uint8Array(toUnit(vector).buffer), id]);
    });
  }

  /** The passages of the collection stay without vectors until a file is added. */
  setProblem(owner: string, collection: string, problem: string): void {
    this.#of(owner).run('UPDATE collections SET problem = ? WHERE id = ?', [problem.slice(0, 500), collection]);
  }

  /** The best passages by words and by vectors, their ranks joined. */
  search(owner: string, collection: string, { text, vector, filter, weights, limit }: IndexQuery): FoundPassage[] {
    const { activeAt } = this.find(owner, collection);
    const database = this.#of(owner);
    const now = Math.floor(this.#clock.now() / 1000);
    if (now - activeAt > activeSeconds)
      database.run('UPDATE collections SET active = ? WHERE id = ?', [now, collection]);
    const matching =
      filter && readFiles(database, collection).filter((file) => matchAttributes(filter, file.attributes));
    const place = { collection, files: matching?.map(({ id }) => id) };
    const { words, vectors } = weights ?? { words: 1, vectors: 1 };
    const rankings = [{ ids: rankByWords(database, place, text), weight: words }];
    if (vector !== undefined) rankings.push({ ids: rankByVector(database, place, vector), weight: vectors });
    const best = joinRankings(rankings).slice(0, limit);
    return best.flatMap(([id, score]) => readFound(database, { id, score, collection }));
  }

  close(): void {
    for (const database of this.#databases.values()) database.close();
    this.#databases.clear();
  }

  /** The files of an expired collection are removed; the collection says so until it is removed. */
  #expire(owner: string, collection: StoredCollection): StoredCollection {
    const { id, expiresAt = Number.POSITIVE_INFINITY, files } = collection;
    if (files === 0 || expiresAt * 1000 > this.#clock.now()) return collection;
    this.#change(owner, (database) => {
      for (const file of readFiles(database, id)) deleteFile(database, file.id);
    });
    return { ...collection, files: 0, passages: 0, embedded: 0, bytes: 0 };
  }

  #checkRoom(owner: string, added: number): void {
    const countOf = (each: string): number => countRows(this.#of(each), 'SELECT count(*) AS n FROM passages');
    if (countOf(owner) + added > limits.ownerPassages)
      throw full(`the collections would have more than ${limits.ownerPassages} passages`);
    const all = this.owners().reduce((sum, each) => sum + countOf(each), added);
    if (all > limits.allPassages) throw full(`the server has ${limits.allPassages} passages of all callers`);
  }

  #change(owner: string, work: (database: Database) => void): void {
    const database = this.#of(owner);
    inTransaction(database, () => work(database));
  }

  #of(owner: string): Database {
    const known = this.#databases.get(owner);
    if (known !== undefined) return known;
    if (!idPattern.test(owner)) throw new HearthError('internal', 'an owner has a name that is no file name');
    const database = openDatabase(join(this.#folder, `${owner}${databaseSuffix}`));
    this.#databases.set(owner, database);
    return database;
  }
}

function full(reason: string): HearthError {
  return new HearthError('collections_full', `${reason}; delete some files or collections`);
}
