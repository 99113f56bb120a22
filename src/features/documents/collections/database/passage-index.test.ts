import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from 'node-sqlite3-wasm';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../../../test/support/fake-clock.ts';
import type { AttributeFilter } from '../../../../server/services/documents/passage-search.ts';
import type { Passage } from '../split-passages.ts';
import type { CollectionFile } from './collection-rows.ts';
import { PassageIndex } from './passage-index.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-index-'));
const clock = createFakeClock();
let number = 0;
let index: PassageIndex;
let place: string;
beforeEach(() => {
  place = join(folder, String(++number));
  index = new PassageIndex(place, clock);
});
afterAll(() => rmSync(folder, { recursive: true }));

const collection = { id: 'c', name: 'Ferries', model: 'm', createdAt: 1 };
const file = (id: string, fields: Partial<CollectionFile> = {}): CollectionFile => ({
  ...({ id, name: `${id}.pdf`, type: 'pdf', pages: 1, characters: 9, createdAt: 1, bytes: 9, state: 'read' } as const),
  ...fields,
});
const add = (owner: string, id: string, added: CollectionFile, texts: readonly Passage[] = []): void =>
  index.addFiles(owner, id, [{ file: added, passages: texts }]);
const passages = (...texts: readonly string[]) =>
  texts.map((text, at) => ({ page: at + 1, start: 0, end: text.length, text }));
const textsOf = (text: string, vector?: Float32Array) =>
  index.search('anna', 'c', { text, vector, limit: 10 }).map((found) => found.text);

test('passages are found by words, by vectors, and by both', () => {
  index.create('anna', collection);
  add('anna', 'c', file('f'), passages('Boats leave at seven.', 'Tickets cost four crowns.', 'The café opens.'));
  expect(textsOf('When do BOATS leave?')).toEqual(['Boats leave at seven.']);
  expect(textsOf('cafe')).toEqual(['The café opens.']);
  expect(textsOf('"; DROP NEAR( * ^')).toEqual([]);
  const pending = index.pending('anna', 2);
  expect(pending).toMatchObject({ collection: 'c', model: 'm' });
  const vectors = [new Float32Array([1, 0]), new Float32Array([0, 3])];
  index.setVectors(
    'anna',
    (pending?.passages ?? []).map(({ id }, at) => ({ id, vector: vectors[at] as Float32Array })),
  );
  expect(index.find('anna', 'c')).toMatchObject({ files: 1, passages: 3, embedded: 2 });
  expect(textsOf('price', new Float32Array([0.1, 1]))).toEqual(['Tickets cost four crowns.', 'Boats leave at seven.']);
  expect(textsOf('tickets', new Float32Array([0.1, 1]))[0]).toBe('Tickets cost four crowns.');
  expect(textsOf('price', new Float32Array([1, 0, 0]))).toEqual([]);
  expect(index.search('anna', 'c', { text: 'tickets', limit: 1 })).toMatchObject([
    { fileId: 'f', fileName: 'f.pdf', page: 2, start: 0, end: 25 },
  ]);
});

test('a PDF file is kept as it was sent, and removed with its file', () => {
  index.create('anna', collection);
  const bytes = new Uint8Array(2 ** 20 + 5).map((_, at) => at % 251);
  const stored = () => index.readOriginal('anna', 'f');
  const kept = () => index.listFiles('anna', 'c').map(({ hasOriginal }) => hasOriginal);
  index.addFiles('anna', 'c', [
    { file: file('f'), passages: passages('Boats.'), original: bytes },
    { file: file('g') },
  ]);
  expect(Buffer.from(stored() as Uint8Array).equals(bytes)).toBe(true);
  expect(kept()).toEqual([true, false]);
  expect(index.readOriginal('anna', 'g')).toBeUndefined();
  expect(index.readOriginal('berta', 'f')).toBeUndefined();
  index.removeFile('anna', 'c', 'f');
  expect(stored()).toBeUndefined();
});

test('what is removed is not found, and owners do not see each other', () => {
  index.create('anna', collection);
  add('anna', 'c', file('f'), passages('Boats.'));
  add('anna', 'c', file('g'), passages('More boats.'));
  index.removeFile('anna', 'c', 'f');
  expect(textsOf('boats')).toEqual(['More boats.']);
  expect(() => index.removeFile('anna', 'c', 'f')).toThrow('no file of the collection');
  expect(() => index.find('ben', 'c')).toThrow('no collection has the id "c"');
  expect(() => index.find('../anna', 'c')).toThrow('no file name');
  index.remove('anna', 'c');
  expect(index.list('anna')).toEqual([]);
  index.create('anna', collection);
  expect(textsOf('boats')).toEqual([]);
});

test('a model that fails is not asked again until a file is added', () => {
  index.create('anna', collection);
  add('anna', 'c', file('f'), passages('Boats.'));
  index.setProblem('anna', 'c', 'no such model');
  expect(index.pending('anna', 9)).toBeUndefined();
  expect(index.find('anna', 'c').problem).toBe('no such model');
  add('anna', 'c', file('g'), passages('Piers.'));
  expect(index.pending('anna', 9)?.passages).toHaveLength(2);
});

test('another process reads what was stored, also if the first one was killed', () => {
  index.create('anna', collection);
  index.close();
  mkdirSync(join(place, 'anna.sqlite.lock'));
  const next = new PassageIndex(place, clock);
  expect(next.owners()).toEqual(['anna']);
  expect(next.list('anna')).toHaveLength(1);
  next.close();
});

test('the number of collections is bounded, and a file that does not fit changes nothing', () => {
  for (let at = 0; at < 100; at++) index.create('anna', { ...collection, id: `c${at}` });
  expect(() => index.create('anna', collection)).toThrow('there are 100 collections');
  const many = new Array(50_001).fill({ start: 0, end: 1, text: 'x' });
  expect(() => add('anna', 'c1', file('f'), many)).toThrow('more than 50000 passages');
  expect(index.find('anna', 'c1').files).toBe(0);
});

test('filters compare attributes, and what is absent or of another type matches only a negation', () => {
  index.create('anna', collection);
  add('anna', 'c', file('old', { attributes: { year: 1999, kind: 'plan' } }), passages('Boats in spring.'));
  add('anna', 'c', file('new', { attributes: { year: 2026, isDraft: true } }), passages('Boats in autumn.'));
  add('anna', 'c', file('bare'), passages('Boats in winter.'));
  const filesOf = (filter: AttributeFilter) =>
    index.search('anna', 'c', { text: 'boats', filter, limit: 9 }).map(({ fileId }) => fileId);
  expect(filesOf({ type: 'gte', key: 'year', value: 2000 })).toEqual(['new']);
  expect(filesOf({ type: 'lt', key: 'year', value: '2000' })).toEqual([]);
  expect(filesOf({ type: 'in', key: 'kind', value: ['plan', 'note'] })).toEqual(['old']);
  expect(new Set(filesOf({ type: 'ne', key: 'year', value: 1999 }))).toEqual(new Set(['new', 'bare']));
  expect(filesOf({ type: 'eq', key: 'toString', value: 'x' })).toEqual([]);
  const either = { type: 'or', filters: [eq('kind', 'plan'), eq('isDraft', true)] } as const;
  expect(new Set(filesOf(either))).toEqual(new Set(['old', 'new']));
  expect(filesOf({ type: 'and', filters: [either, eq('year', 2026)] })).toEqual(['new']);
});

const eq = (key: string, value: string | number | boolean): AttributeFilter => ({ type: 'eq', key, value });

test('weights decide which ranking counts, and the best of all rankings has the score 1', () => {
  index.create('anna', collection);
  add('anna', 'c', file('f'), passages('Boats leave.', 'Tickets cost.'));
  const ids = index.pending('anna', 9)?.passages ?? [];
  const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
  index.setVectors(
    'anna',
    ids.map(({ id }, at) => ({ id, vector: vectors[at] as Float32Array })),
  );
  const find = (words: number, vectorWeight: number) =>
    index
      .search('anna', 'c', {
        text: 'boats',
        vector: Float32Array.of(0.1, 1),
        weights: { words, vectors: vectorWeight },
        limit: 2,
      })
      .map(({ text, score }) => [text, score]);
  expect(find(1, 0)).toEqual([['Boats leave.', 1]]);
  expect(find(0, 1)).toMatchObject([
    ['Tickets cost.', 1],
    ['Boats leave.', expect.closeTo(61 / 62)],
  ]);
  expect(find(1, 1)[0]?.[0]).toBe('Boats leave.');
});

test('uploaded files wait until they are read, in batches that can be canceled', () => {
  index.create('anna', collection);
  const waiting = (id: string): CollectionFile => file(id, { source: `file-${id}`, state: 'waiting', batch: 'b' });
  const batch = { id: 'b', createdAt: 1, isCanceled: false };
  index.addFiles('anna', 'c', [{ file: waiting('f') }, { file: waiting('g') }, { file: waiting('h') }], batch);
  expect(index.nextUnread('anna')).toMatchObject({ id: 'f', source: 'file-f', collection: 'c' });
  index.setRead('anna', 'f', { type: 'text', pages: 1, characters: 6, passages: passages('Boats.') });
  index.setUnreadable('anna', 'g', 'it has no text');
  index.cancelBatch('anna', 'c', 'b');
  expect(index.nextUnread('anna')).toBeUndefined();
  // A file that was canceled while it was read stays so.
  index.setRead('anna', 'h', { type: 'text', pages: 1, characters: 6, passages: passages('More boats.') });
  expect(index.listFiles('anna', 'c')).toMatchObject([
    { id: 'f', state: 'read', passages: 1, embedded: 0 },
    { id: 'g', state: 'failed', problem: 'it has no text' },
    { id: 'h', state: 'canceled', passages: 0 },
  ]);
  expect(index.findBatch('anna', 'c', 'b')).toEqual({ id: 'b', createdAt: 1, isCanceled: true });
  // The same source again replaces the file.
  index.addFiles('anna', 'c', [{ file: file('f2', { source: 'file-f' }), passages: passages('Piers.') }]);
  expect(textsOf('boats piers')).toEqual(['Piers.']);
  expect(index.findFile('anna', 'c', 'file-f').id).toBe('f2');
});

test('the files of a collection that nobody searches expire; a search keeps them', async () => {
  const createdAt = Math.floor(clock.now() / 1000);
  index.create('anna', { ...collection, createdAt, expiresAfterDays: 2, metadata: { team: 'piers' } });
  add('anna', 'c', file('f'), passages('Boats.'));
  await clock.advance(36 * 3600_000);
  expect(textsOf('boats')).toEqual(['Boats.']);
  await clock.advance(36 * 3600_000);
  expect(textsOf('boats')).toEqual(['Boats.']);
  await clock.advance(49 * 3600_000);
  expect(textsOf('boats')).toEqual([]);
  expect(index.find('anna', 'c')).toMatchObject({ files: 0, metadata: { team: 'piers' } });
});

test('a database of the first version is brought up to date', () => {
  const path = join(place, 'anna.sqlite');
  const old = new Database(path);
  old.exec(`
    CREATE TABLE collections(id TEXT PRIMARY KEY, name TEXT, model TEXT, reranker TEXT, created INTEGER, problem TEXT);
    CREATE TABLE files(id TEXT PRIMARY KEY, collection TEXT, name TEXT, type TEXT, pages INTEGER, characters INTEGER, created INTEGER);
    CREATE TABLE passages(id INTEGER PRIMARY KEY, file TEXT, page INTEGER, start INTEGER, stop INTEGER, text TEXT, vector BLOB);
    CREATE INDEX withoutVector ON passages(id) WHERE vector IS NULL;
    INSERT INTO collections VALUES('c', 'Ferries', NULL, NULL, 1, NULL);
    INSERT INTO files VALUES('f', 'c', 'f.pdf', 'pdf', 1, 9, 1);
  `);
  old.close();
  add('anna', 'c', file('g'), passages('Boats.'));
  expect(textsOf('boats')).toEqual(['Boats.']);
  expect(index.listFiles('anna', 'c')).toMatchObject([
    { id: 'f', state: 'read', passages: 0 },
    { id: 'g', passages: 1 },
  ]);
});
