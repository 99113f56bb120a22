// Collections in SQLite: a database for each owner, with an index of words (FTS5) and a vector for each passage. All calls
// block, so they run in a thread of their own (index-thread.ts).

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from 'node-sqlite3-wasm';
import { HearthError } from '../../../base/errors.ts';
import { type Row, rankByVector, rankByWords, toUnit } from './rank-passages.ts';
import type { Passage } from './split-passages.ts';

interface NewCollection {
  readonly id: string;
  readonly name: string;
  /** The embedding model. Absent: passages are found by words only. */
  readonly model?: string | undefined;
  readonly reranker?: string | undefined;
  /** Seconds since the epoch. */
  readonly createdAt: number;
}

export interface StoredCollection extends NewCollection {
  readonly files: number;
  readonly passages: number;
  /** Passages that have a vector. */
  readonly embedded: number;
  /** Why passages have none. */
  readonly problem?: string | undefined;
}

export interface CollectionFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly pages: number;
  readonly characters: number;
  readonly createdAt: number;
}

export interface FoundPassage extends Passage {
  readonly fileId: string;
  readonly fileName: string;
  readonly score: number;
}

export interface PendingPassages {
  readonly collection: string;
  readonly model: string;
  readonly passages: readonly { readonly id: number; readonly text: string }[];
}

interface Query {
  readonly text: string;
  readonly vector?: Float32Array | undefined;
  readonly limit: number;
}

const limits = { collections: 100, files: 1000, ownerPassages: 50_000, allPassages: 500_000 };
const idPattern = /^[A-Za-z0-9_-]{1,100}$/;
const databaseSuffix = '.sqlite';
// The usual constant of reciprocal rank fusion.
const rankOffset = 60;

const schema = `
  CREATE TABLE IF NOT EXISTS collections(id TEXT PRIMARY KEY, name TEXT, model TEXT, reranker TEXT, created INTEGER, problem TEXT);
  CREATE TABLE IF NOT EXISTS files(id TEXT PRIMARY KEY, collection TEXT, name TEXT, type TEXT, pages INTEGER, characters INTEGER, created INTEGER);
  CREATE INDEX IF NOT EXISTS filesOf ON files(collection);
  CREATE TABLE IF NOT EXISTS passages(id INTEGER PRIMARY KEY, file TEXT, page INTEGER, start INTEGER, stop INTEGER, text TEXT, vector BLOB);
  CREATE INDEX IF NOT EXISTS passagesOf ON passages(file);
  CREATE INDEX IF NOT EXISTS withoutVector ON passages(id) WHERE vector IS NULL;
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='passages', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
`;

export class PassageIndex {
  readonly #folder: string;
  readonly #databases = new Map<string, Database>();

  /** This process alone uses the folder. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  owners(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(databaseSuffix))
      .map((name) => name.slice(0, -databaseSuffix.length));
  }

  create(owner: string, { id, name, model, reranker, createdAt }: NewCollection): void {
    const database = this.#of(owner);
    if (countIn(database, 'SELECT count(*) AS n FROM collections') >= limits.collections)
      throw full(`there are ${limits.collections} collections`);
    const values = [id, name, model ?? null, reranker ?? null, createdAt];
    database.run('INSERT INTO collections(id, name, model, reranker, created) VALUES(?, ?, ?, ?, ?)', values);
  }

  list(owner: string): StoredCollection[] {
    return this.#all(owner, 'SELECT * FROM collections ORDER BY created, id').map((row) => this.#describe(owner, row));
  }

  /** Throws `collection_not_found`. */
  find(owner: string, id: string): StoredCollection {
    const [row] = this.#all(owner, 'SELECT * FROM collections WHERE id = ?', [id]);
    if (row === undefined)
      throw new HearthError('collection_not_found', `no collection has the id "${id.slice(0, 64)}"`);
    return this.#describe(owner, row);
  }

  remove(owner: string, id: string): void {
    this.find(owner, id);
    this.#change(owner, (database) => {
      for (const file of this.listFiles(owner, id)) dropFile(database, file.id);
      database.run('DELETE FROM collections WHERE id = ?', [id]);
    });
  }

  listFiles(owner: string, collection: string): CollectionFile[] {
    const rows = this.#all(owner, 'SELECT * FROM files WHERE collection = ? ORDER BY created, id', [collection]);
    return rows.map(({ id, name, type, pages, characters, created }) => ({
      id: String(id),
      name: String(name),
      type: String(type),
      pages: Number(pages),
      characters: Number(characters),
      createdAt: Number(created),
    }));
  }

  /** All of it or nothing is stored. */
  addFile(owner: string, collection: string, file: CollectionFile, passages: readonly Passage[]): void {
    const { files } = this.find(owner, collection);
    if (files >= limits.files) throw full(`the collection has ${limits.files} files`);
    this.#checkRoom(owner, passages.length);
    this.#change(owner, (database) => {
      const { id, name, type, pages, characters, createdAt } = file;
      const values = [id, collection, name, type, pages, characters, createdAt];
      database.run('INSERT INTO files VALUES(?, ?, ?, ?, ?, ?, ?)', values);
      // A model that failed is tried again.
      database.run('UPDATE collections SET problem = NULL WHERE id = ?', [collection]);
      const insert = database.prepare('INSERT INTO passages(file, page, start, stop, text) VALUES(?, ?, ?, ?, ?)');
      const index = database.prepare('INSERT INTO words(rowid, text) VALUES(?, ?)');
      try {
        for (const { page, start, end, text } of passages) {
          const { lastInsertRowid } = insert.run([id, page ?? null, start, end, text]);
          index.run([lastInsertRowid, text]);
        }
      } finally {
        insert.finalize();
        index.finalize();
      }
    });
  }

  /** Throws `file_not_found`. */
  removeFile(owner: string, collection: string, id: string): void {
    this.find(owner, collection);
    if (!this.listFiles(owner, collection).some((file) => file.id === id))
      throw new HearthError('file_not_found', `no file of the collection has the id "${id.slice(0, 64)}"`);
    this.#change(owner, (database) => dropFile(database, id));
  }

  /** The next passages without a vector, all of one collection. */
  pending(owner: string, count: number): PendingPassages | undefined {
    const rows = this.#all(
      owner,
      `SELECT passages.id AS id, passages.text AS text, collections.id AS collection, collections.model AS model
       FROM passages JOIN files ON files.id = passages.file JOIN collections ON collections.id = files.collection
       WHERE passages.vector IS NULL AND collections.model IS NOT NULL AND collections.problem IS NULL
       ORDER BY passages.id LIMIT ?`,
      [count],
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const own = rows.filter(({ collection }) => collection === first['collection']);
    return {
      collection: String(first['collection']),
      model: String(first['model']),
      passages: own.map(({ id, text }) => ({ id: Number(id), text: String(text) })),
    };
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
  search(owner: string, collection: string, { text, vector, limit }: Query): FoundPassage[] {
    this.find(owner, collection);
    const database = this.#of(owner);
    const rankings = [rankByWords(database, collection, text), rankByVector(database, collection, vector)];
    const scores = new Map<number, number>();
    for (const ranking of rankings)
      for (const [rank, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (rankOffset + rank + 1));
    const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, limit);
    return best.flatMap(([id, score]) => this.#readPassage(owner, id, score));
  }

  close(): void {
    for (const database of this.#databases.values()) database.close();
    this.#databases.clear();
  }

  #readPassage(owner: string, id: number, score: number): FoundPassage[] {
    const rows = this.#all(
      owner,
      'SELECT passages.*, files.name AS name FROM passages JOIN files ON files.id = passages.file WHERE passages.id = ?',
      [id],
    );
    return rows.map(({ file, name, page, start, stop, text }) => ({
      fileId: String(file),
      fileName: String(name),
      page: page === null ? undefined : Number(page),
      start: Number(start),
      end: Number(stop),
      text: String(text),
      score,
    }));
  }

  #describe(owner: string, { id, name, model, reranker, created, problem }: Row): StoredCollection {
    const of = `FROM passages JOIN files ON files.id = passages.file WHERE files.collection = ?`;
    const database = this.#of(owner);
    return {
      id: String(id),
      name: String(name),
      model: model === null ? undefined : String(model),
      reranker: reranker === null ? undefined : String(reranker),
      createdAt: Number(created),
      files: countIn(database, 'SELECT count(*) AS n FROM files WHERE collection = ?', [String(id)]),
      passages: countIn(database, `SELECT count(*) AS n ${of}`, [String(id)]),
      embedded: countIn(database, `SELECT count(*) AS n ${of} AND vector IS NOT NULL`, [String(id)]),
      problem: problem === null ? undefined : String(problem),
    };
  }

  #checkRoom(owner: string, added: number): void {
    const countOf = (each: string): number => countIn(this.#of(each), 'SELECT count(*) AS n FROM passages');
    if (countOf(owner) + added > limits.ownerPassages)
      throw full(`the collections would have more than ${limits.ownerPassages} passages`);
    const all = this.owners().reduce((sum, each) => sum + countOf(each), added);
    if (all > limits.allPassages) throw full(`the server has ${limits.allPassages} passages of all callers`);
  }

  #all(owner: string, sql: string, values: (string | number)[] = []): Row[] {
    return this.#of(owner).all(sql, values) as Row[];
  }

  #change(owner: string, work: (database: Database) => void): void {
    const database = this.#of(owner);
    database.exec('BEGIN');
    try {
      work(database);
      database.exec('COMMIT');
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  #of(owner: string): Database {
    const known = this.#databases.get(owner);
    if (known !== undefined) return known;
    if (!idPattern.test(owner)) throw new HearthError('internal', 'an owner has a name that is no file name');
    const path = join(this.#folder, `${owner}${databaseSuffix}`);
    // A process that was killed leaves the lock of the library. The folder has a lock of its own.
    rmSync(`${path}.lock`, { recursive: true, force: true });
    const database = new Database(path);
    database.exec(`PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL; ${schema}`);
    this.#databases.set(owner, database);
    return database;
  }
}

function dropFile(database: Database, id: string): void {
  database.run("INSERT INTO words(words, rowid, text) SELECT 'delete', id, text FROM passages WHERE file = ?", [id]);
  database.run('DELETE FROM passages WHERE file = ?', [id]);
  database.run('DELETE FROM files WHERE id = ?', [id]);
}

function countIn(database: Database, sql: string, values: string[] = []): number {
  return Number((database.get(sql, values) as Row | null)?.['n'] ?? 0);
}

function full(reason: string): HearthError {
  return new HearthError('collections_full', `${reason}; delete some files or collections`);
}
