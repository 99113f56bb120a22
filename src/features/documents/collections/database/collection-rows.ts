// Collections and their files, as the rows of the database have them.

import type { Database } from 'node-sqlite3-wasm';
import type { Attributes } from '../../../../server/services/documents/passage-search.ts';
import { allRows, countRows, optionalText, type Row } from './open-database.ts';

/** What callers write about a collection; no search uses it. */
interface CollectionDetails {
  readonly description?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** After so many days without a search its files are removed. */
  readonly expiresAfterDays?: number | undefined;
}

export interface NewCollection extends CollectionDetails {
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
  /** The size of the files, as they were sent. */
  readonly bytes: number;
  /** When it was created or searched, give or take a minute. */
  readonly activeAt: number;
  readonly expiresAt?: number | undefined;
}

/** `waiting`: its text is not read yet. */
type FileState = 'waiting' | 'read' | 'failed' | 'canceled';

export interface CollectionFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly pages: number;
  readonly characters: number;
  readonly createdAt: number;
  /** The id of the uploaded file that it was read from. */
  readonly source?: string | undefined;
  readonly bytes: number;
  readonly attributes?: Attributes | undefined;
  /** The files that were added with it. */
  readonly batch?: string | undefined;
  readonly state: FileState;
  /** Why it was not read. */
  readonly problem?: string | undefined;
}

export interface IndexedFile extends CollectionFile {
  readonly passages: number;
  readonly embedded: number;
  /** Whether it was kept as it was sent. */
  readonly hasOriginal: boolean;
}

const daySeconds = 24 * 3600;

export function toCollection(database: Database, row: Row): StoredCollection {
  const id = String(row['id']);
  const passages = countRows(
    database,
    'SELECT count(*) AS n FROM passages WHERE file IN (SELECT id FROM files WHERE collection = ?)',
    [id],
  );
  const bare = countRows(
    database,
    'SELECT count(*) AS n FROM passages WHERE vector IS NULL AND file IN (SELECT id FROM files WHERE collection = ?)',
    [id],
  );
  const details = JSON.parse(optionalText(row['details']) ?? '{}') as CollectionDetails;
  const createdAt = Number(row['created']);
  const activeAt = Number(row['active'] ?? createdAt);
  const { expiresAfterDays: days } = details;
  return {
    ...details,
    id,
    name: String(row['name']),
    model: optionalText(row['model']),
    reranker: optionalText(row['reranker']),
    createdAt,
    files: countRows(database, 'SELECT count(*) AS n FROM files WHERE collection = ?', [id]),
    passages,
    embedded: passages - bare,
    problem: optionalText(row['problem']),
    bytes: countRows(database, 'SELECT sum(bytes) AS n FROM files WHERE collection = ?', [id]),
    activeAt,
    expiresAt: days === undefined ? undefined : activeAt + days * daySeconds,
  };
}

export function insertCollection(database: Database, { id, createdAt, ...fields }: NewCollection): void {
  const { name, model, reranker, ...details } = fields;
  database.run(
    'INSERT INTO collections(id, name, model, reranker, created, active, details) VALUES(?, ?, ?, ?, ?, ?, ?)',
    [id, name, model ?? null, reranker ?? null, createdAt, createdAt, JSON.stringify(details)],
  );
}

export function updateCollection(database: Database, { id, name, ...fields }: StoredCollection): void {
  const { description, metadata, expiresAfterDays } = fields;
  const details = JSON.stringify({ description, metadata, expiresAfterDays });
  database.run('UPDATE collections SET name = ?, details = ? WHERE id = ?', [name, details, id]);
}

/** The files of a collection, oldest first. `id`: only this one, named by its id or by that of its source. */
export function readFiles(database: Database, collection: string, id?: string): IndexedFile[] {
  const rows = allRows(
    database,
    `SELECT *, (SELECT count(*) FROM passages WHERE file = files.id) AS passages,
       (SELECT count(*) FROM passages WHERE file = files.id AND vector IS NULL) AS bare,
       EXISTS(SELECT 1 FROM originals WHERE file = files.id) AS original
     FROM files WHERE collection = ? AND (? IS NULL OR id = ? OR source = ?) ORDER BY created, rowid`,
    [collection, id ?? null, id ?? null, id ?? null],
  );
  return rows.map(toFile);
}

function toFile(row: Row): IndexedFile {
  const attributes = optionalText(row['attributes']);
  const passages = Number(row['passages']);
  return {
    id: String(row['id']),
    name: String(row['name']),
    type: String(row['type']),
    pages: Number(row['pages']),
    characters: Number(row['characters']),
    createdAt: Number(row['created']),
    source: optionalText(row['source']),
    bytes: Number(row['bytes']),
    attributes: attributes === undefined ? undefined : (JSON.parse(attributes) as Attributes),
    batch: optionalText(row['batch']),
    state: String(row['state']) as FileState,
    problem: optionalText(row['problem']),
    passages,
    embedded: passages - Number(row['bare']),
    hasOriginal: Number(row['original']) === 1,
  };
}

export function insertFile(database: Database, collection: string, file: CollectionFile): void {
  const { id, name, type, pages, characters, createdAt, source, bytes, attributes, batch, state, problem } = file;
  database.run(
    `INSERT INTO files(id, collection, name, type, pages, characters, created, source, bytes, attributes, batch, state, problem)
     VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[id, collection, name, type, pages, characters, createdAt, source ?? null, bytes],
      ...[attributes === undefined ? null : JSON.stringify(attributes), batch ?? null, state, problem ?? null],
    ],
  );
}

/** With its passages, their words and what was sent. */
export function deleteFile(database: Database, id: string): void {
  database.run("INSERT INTO words(words, rowid, text) SELECT 'delete', id, text FROM passages WHERE file = ?", [id]);
  database.run('DELETE FROM passages WHERE file = ?', [id]);
  database.run('DELETE FROM originals WHERE file = ?', [id]);
  database.run('DELETE FROM files WHERE id = ?', [id]);
}
