// Files that were added together, as the rows of the database have them.

import type { Database } from 'node-sqlite3-wasm';
import { HearthError } from '../../../../base/errors.ts';
import { allRows, countRows } from './open-database.ts';

export interface FileBatch {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly isCanceled: boolean;
}

const maxBatches = 1000;

/** The oldest batches are forgotten; their files stay. */
export function insertBatch(database: Database, collection: string, { id, createdAt }: FileBatch): void {
  const extra = countRows(database, 'SELECT count(*) AS n FROM fileBatches') + 1 - maxBatches;
  if (extra > 0)
    database.run('DELETE FROM fileBatches WHERE rowid IN (SELECT rowid FROM fileBatches ORDER BY rowid LIMIT ?)', [
      extra,
    ]);
  database.run('INSERT INTO fileBatches VALUES(?, ?, ?, 0)', [id, collection, createdAt]);
}

/** Throws `collection_not_found`. */
export function readBatch(database: Database, collection: string, id: string): FileBatch {
  const [row] = allRows(database, 'SELECT * FROM fileBatches WHERE id = ? AND collection = ?', [id, collection]);
  if (row === undefined)
    throw new HearthError('collection_not_found', `no batch of files has the id "${id.slice(0, 64)}"`);
  return { id, createdAt: Number(row['created']), isCanceled: Number(row['canceled']) === 1 };
}

/** Files that are not read yet stay unread. */
export function cancelBatch(database: Database, id: string): void {
  database.run('UPDATE fileBatches SET canceled = 1 WHERE id = ?', [id]);
  database.run("UPDATE files SET state = 'canceled' WHERE batch = ? AND state = 'waiting'", [id]);
}
