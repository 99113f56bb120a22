// Opens the database of an owner, and brings the tables of earlier versions up to date.

import { rmSync } from 'node:fs';
import { Database } from 'node-sqlite3-wasm';

export type Row = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;
type Value = string | number | bigint | Uint8Array | null;

/** `user_version` of a database is the number of steps that it has. New steps are added at the end. */
const steps = [
  `CREATE TABLE IF NOT EXISTS collections(id TEXT PRIMARY KEY, name TEXT, model TEXT, reranker TEXT, created INTEGER, problem TEXT);
   CREATE TABLE IF NOT EXISTS files(id TEXT PRIMARY KEY, collection TEXT, name TEXT, type TEXT, pages INTEGER, characters INTEGER, created INTEGER);
   CREATE INDEX IF NOT EXISTS filesOf ON files(collection);
   CREATE TABLE IF NOT EXISTS passages(id INTEGER PRIMARY KEY, file TEXT, page INTEGER, start INTEGER, stop INTEGER, text TEXT, vector BLOB);
   CREATE INDEX IF NOT EXISTS passagesOf ON passages(file);
   CREATE INDEX IF NOT EXISTS withoutVector ON passages(id) WHERE vector IS NULL;
   CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='passages', content_rowid='id', tokenize='unicode61 remove_diacritics 2');`,
  // Vector stores of OpenAI's API. Passages without a vector are counted and found by their file.
  `ALTER TABLE collections ADD COLUMN details TEXT;
   ALTER TABLE collections ADD COLUMN active INTEGER;
   ALTER TABLE files ADD COLUMN source TEXT;
   ALTER TABLE files ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE files ADD COLUMN attributes TEXT;
   ALTER TABLE files ADD COLUMN batch TEXT;
   ALTER TABLE files ADD COLUMN state TEXT NOT NULL DEFAULT 'read';
   ALTER TABLE files ADD COLUMN problem TEXT;
   CREATE INDEX unreadFiles ON files(created) WHERE state = 'waiting';
   CREATE TABLE fileBatches(id TEXT PRIMARY KEY, collection TEXT, created INTEGER, canceled INTEGER);
   DROP INDEX withoutVector;
   CREATE INDEX withoutVector ON passages(file) WHERE vector IS NULL;`,
  // PDF files as they were sent.
  'CREATE TABLE originals(file TEXT, part INTEGER, bytes BLOB, PRIMARY KEY(file, part));',
];

export function openDatabase(path: string): Database {
  // A process that was killed leaves the lock of the library. The folder has a lock of its own.
  rmSync(`${path}.lock`, { recursive: true, force: true });
  const database = new Database(path);
  database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL;');
  const done = Number((database.get('PRAGMA user_version') as Row)['user_version']);
  for (const [index, step] of steps.entries())
    if (index >= done) inTransaction(database, () => database.exec(`${step} PRAGMA user_version = ${index + 1};`));
  return database;
}

export function inTransaction(database: Database, work: () => void): void {
  database.exec('BEGIN');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

export function allRows(database: Database, sql: string, values: Value[] = []): Row[] {
  return database.all(sql, values) as Row[];
}

/** The column `n` of the only row. */
export function countRows(database: Database, sql: string, values: Value[] = []): number {
  return Number((database.get(sql, values) as Row | null)?.['n'] ?? 0);
}

export function optionalText(value: Value | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
