// Passages, as the rows of the database have them.

import type { Database } from 'node-sqlite3-wasm';
import type { Attributes, FoundPassage } from '../../../../server/services/documents/passage-search.ts';
import type { Passage } from '../split-passages.ts';
import { allRows, optionalText, type Row } from './open-database.ts';

export function insertPassages(database: Database, file: string, passages: readonly Passage[]): void {
  const insert = database.prepare('INSERT INTO passages(file, page, start, stop, text) VALUES(?, ?, ?, ?, ?)');
  const index = database.prepare('INSERT INTO words(rowid, text) VALUES(?, ?)');
  try {
    for (const { page, start, end, text } of passages) {
      const { lastInsertRowid } = insert.run([file, page ?? null, start, end, text]);
      index.run([lastInsertRowid, text]);
    }
  } finally {
    insert.finalize();
    index.finalize();
  }
}

interface PassageWindow {
  /** Only this page. */
  readonly page?: number | undefined;
  /** Passages that end before it are left out. */
  readonly from?: number | undefined;
  readonly limit: number;
}

/** In the order of the document. */
export function readPassages(database: Database, file: string, { page, from = 0, limit }: PassageWindow): Passage[] {
  const rows = allRows(
    database,
    'SELECT * FROM passages WHERE file = ? AND (? IS NULL OR page = ?) AND stop > ? ORDER BY id LIMIT ?',
    [file, page ?? null, page ?? null, from, limit],
  );
  return rows.map(toPassage);
}

interface Scored {
  readonly id: number;
  readonly score: number;
  readonly collection: string;
}

/** Nothing if the passage does not exist any more. */
export function readFound(database: Database, { id, score, collection }: Scored): FoundPassage[] {
  const rows = allRows(
    database,
    `SELECT passages.*, files.name AS name, source, attributes FROM passages JOIN files ON files.id = passages.file
     WHERE passages.id = ?`,
    [id],
  );
  return rows.map((row) => {
    const attributes = optionalText(row['attributes']);
    return {
      ...toPassage(row),
      collection,
      fileId: String(row['source'] ?? row['file']),
      fileName: String(row['name']),
      attributes: attributes === undefined ? undefined : (JSON.parse(attributes) as Attributes),
      score,
    };
  });
}

function toPassage({ page, start, stop, text }: Row): Passage {
  return {
    page: page === null ? undefined : Number(page),
    start: Number(start),
    end: Number(stop),
    text: String(text),
  };
}

export interface PendingPassages {
  readonly collection: string;
  readonly model: string;
  readonly passages: readonly { readonly id: number; readonly text: string }[];
}

/** The next passages without a vector, all of one collection. */
export function readPending(database: Database, count: number): PendingPassages | undefined {
  const [next] = allRows(
    database,
    `SELECT collections.id AS collection, model FROM collections WHERE model IS NOT NULL AND problem IS NULL AND EXISTS(
       SELECT 1 FROM files JOIN passages ON passages.file = files.id WHERE files.collection = collections.id AND vector IS NULL)
     ORDER BY created LIMIT 1`,
  );
  if (next === undefined) return undefined;
  const collection = String(next['collection']);
  const rows = allRows(
    database,
    `SELECT passages.id AS id, text FROM files JOIN passages ON passages.file = files.id
     WHERE files.collection = ? AND vector IS NULL LIMIT ?`,
    [collection, count],
  );
  const passages = rows.map(({ id, text }) => ({ id: Number(id), text: String(text) }));
  return { collection, model: String(next['model']), passages };
}
