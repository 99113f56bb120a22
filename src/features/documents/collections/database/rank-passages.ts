// Ranks the passages of a collection for a question: by its words, and by its vector.

import type { Database } from 'node-sqlite3-wasm';
import { allRows, type Row } from './open-database.ts';

interface Place {
  readonly collection: string;
  /** The files that are searched. Absent: all. */
  readonly files?: readonly string[] | undefined;
}

const candidates = 50;
const maxWords = 64;
const isInPlace = 'files.collection = ? AND (? IS NULL OR files.id IN (SELECT value FROM json_each(?)))';

function valuesOf({ collection, files }: Place): (string | null)[] {
  const list = files === undefined ? null : JSON.stringify(files);
  return [collection, list, list];
}

/** The ids of passages that have any of the words, the best first. */
export function rankByWords(database: Database, place: Place, text: string): number[] {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, maxWords);
  if (words.length === 0) return [];
  const rows = allRows(
    database,
    `SELECT words.rowid AS id FROM words JOIN passages ON passages.id = words.rowid JOIN files ON files.id = passages.file
     WHERE words MATCH ? AND ${isInPlace} ORDER BY bm25(words) LIMIT ?`,
    [words.map((word) => `"${word}"`).join(' OR '), ...valuesOf(place), candidates],
  );
  return rows.map(({ id }) => Number(id));
}

/** The ids of passages whose vectors have the smallest angle. Vectors of another length are those of another model. */
export function rankByVector(database: Database, place: Place, vector: Float32Array): number[] {
  const query = toUnit(vector);
  const statement = database.prepare(
    `SELECT passages.id AS id, vector FROM passages JOIN files ON files.id = passages.file
     WHERE ${isInPlace} AND vector IS NOT NULL`,
  );
  try {
    const found: { readonly id: number; readonly score: number }[] = [];
    for (const row of statement.iterate(valuesOf(place)) as Iterable<Row>) {
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

interface Ranking {
  readonly ids: readonly number[];
  readonly weight: number;
}

// The usual constant of reciprocal rank fusion.
const rankOffset = 60;

/** Reciprocal ranks, added. The score of a passage that is the first in all rankings is 1. */
export function joinRankings(rankings: readonly Ranking[]): [id: number, score: number][] {
  const scores = new Map<number, number>();
  const total = rankings.reduce((sum, { weight }) => sum + weight, 0);
  for (const { ids, weight } of rankings) {
    if (weight === 0) continue;
    const share = (weight * (rankOffset + 1)) / total;
    for (const [rank, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + share / (rankOffset + rank + 1));
  }
  return [...scores].sort(([, a], [, b]) => b - a);
}
