import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { PassageIndex } from './passage-index.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-index-'));
let number = 0;
let index: PassageIndex;
let place: string;
beforeEach(() => {
  place = join(folder, String(++number));
  index = new PassageIndex(place);
});
afterAll(() => rmSync(folder, { recursive: true }));

const collection = { id: 'c', name: 'Ferries', model: 'm', createdAt: 1 };
const file = (id: string) => ({ id, name: `${id}.pdf`, type: 'pdf', pages: 1, characters: 9, createdAt: 1 });
const passages = (...texts: readonly string[]) =>
  texts.map((text, at) => ({ page: at + 1, start: 0, end: text.length, text }));
const textsOf = (text: string, vector?: Float32Array) =>
  index.search('anna', 'c', { text, vector, limit: 10 }).map((found) => found.text);

test('passages are found by words, by vectors, and by both', () => {
  index.create('anna', collection);
  index.addFile(
    'anna',
    'c',
    file('f'),
    passages('Boats leave at seven.', 'Tickets cost four crowns.', 'The café opens.'),
  );
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

test('what is removed is not found, and owners do not see each other', () => {
  index.create('anna', collection);
  index.addFile('anna', 'c', file('f'), passages('Boats.'));
  index.addFile('anna', 'c', file('g'), passages('More boats.'));
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
  index.addFile('anna', 'c', file('f'), passages('Boats.'));
  index.setProblem('anna', 'c', 'no such model');
  expect(index.pending('anna', 9)).toBeUndefined();
  expect(index.find('anna', 'c').problem).toBe('no such model');
  index.addFile('anna', 'c', file('g'), passages('Piers.'));
  expect(index.pending('anna', 9)?.passages).toHaveLength(2);
});

test('another process reads what was stored, also if the first one was killed', () => {
  index.create('anna', collection);
  index.close();
  mkdirSync(join(place, 'anna.sqlite.lock'));
  const next = new PassageIndex(place);
  expect(next.owners()).toEqual(['anna']);
  expect(next.list('anna')).toHaveLength(1);
  next.close();
});

test('the number of collections is bounded, and a file that does not fit changes nothing', () => {
  for (let at = 0; at < 100; at++) index.create('anna', { ...collection, id: `c${at}` });
  expect(() => index.create('anna', collection)).toThrow('there are 100 collections');
  const many = new Array(50_001).fill({ start: 0, end: 1, text: 'x' });
  expect(() => index.addFile('anna', 'c1', file('f'), many)).toThrow('more than 50000 passages');
  expect(index.find('anna', 'c1').files).toBe(0);
});
