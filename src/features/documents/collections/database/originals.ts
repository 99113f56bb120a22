// PDF files as they were sent, so that their pages can be shown. In parts, because the library copies a value into its own
// memory, which never shrinks.

import type { Database } from 'node-sqlite3-wasm';
import { allRows, countRows } from './open-database.ts';

const partBytes = 2 ** 20;
/** The bytes of all files of an owner. */
const maxBytes = 2 ** 30;

/** Without room, the collection has the text of the file only. */
export function insertOriginal(database: Database, file: string, bytes: Uint8Array | undefined): void {
  if (bytes === undefined) return;
  const kept = countRows(database, 'SELECT sum(length(bytes)) AS n FROM originals');
  if (kept + bytes.length > maxBytes) return;
  for (let start = 0, part = 0; start < bytes.length; start += partBytes, part++)
    database.run('INSERT INTO originals VALUES(?, ?, ?)', [file, part, bytes.slice(start, start + partBytes)]);
}

/** Undefined if the file was not kept. */
export function readOriginal(database: Database, file: string): Uint8Array | undefined {
  const rows = allRows(database, 'SELECT bytes FROM originals WHERE file = ? ORDER BY part', [file]);
  return rows.length === 0 ? undefined : Buffer.concat(rows.map(({ bytes }) => bytes as Uint8Array));
}
