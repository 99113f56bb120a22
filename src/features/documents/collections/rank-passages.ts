// Ranks the passages of a collection for a question: by its words, and by its vector.

import type { Database } from 'node-sqlite3-wasm';

export type Row = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;

const candidates = 50;
const maxWords = 64;

/** The ids of passages that have any of the words, the best first. */
export function rankByWords(database: Database, collection: string, text: string): number[] {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, maxWords);
  if (words.length === 0) return [];
  const rows = database.all(
    `SELECT words.rowid AS id FROM words JOIN passages ON passages.id = words.rowid JOIN files ON files.id = passages.file
     WHERE words MATCH ? AND files.collection = ? ORDER BY bm25(words) LIMIT ?`,
    [words.map((word) => `"${word}"`).join(' OR '), collection, candidates],
  ) as Row[];
  return rows.map(({ id }) => Number(id));
}

/** The ids of passages whose vectors have the smallest angle. Vectors of another length are those of another model. */
export function rankByVector(database: Database, collection: string, vector: Float32Array | undefined): number[] {
  if (vector === undefined) return [];
  const query = toUnit(vector);
  const statement = database.prepare(
    'SELECT passages.id AS id, vector FROM passages JOIN files ON files.id = passages.file WHERE files.collection = ? AND vector IS NOT NULL',
  );
  try {
    const found: { readonly id: number; readonly score: number }[] = [];
    for (const row of statement.iterate([collection]) as Iterable<Row>) {
      const bytes = row['vector'] as Uint8Array;
      if (bytes.byteLength !== query.byteLength) continue;
      const stored = new Float32Array(bytes.buffer, bytes.byteOffset, query.length);
      found.push({ id: Number(row['id']), score: query.reduce((sum, x, at) => sum + x * (stored[at] as number), 0) });
    }
    const best = found.sort((a, b) => b.score - a.score).slice(0, candidates);
    return best.map(({ id }) => id);
  } finally {
    statement.finalize();
  }
}

/** The vector with length 1. */
export function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}
