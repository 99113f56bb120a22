import { expect, test } from 'vitest';
import { filterModels, type ModelRow, nextOrder, type SortOrder, sortModels, withLastUse } from './sort-models.ts';

function modelOf(name: string, fields: Partial<ModelRow> = {}): ModelRow {
  return {
    name,
    sizeBytes: 100,
    parameterSize: '42M',
    quantization: 'Q4_K_M',
    capabilities: ['completion'],
    state: 'unloaded',
    modifiedAt: '2026-11-01T00:00:00Z',
    ...fields,
  };
}

test('a model does not inherit the last use of an earlier one with its name', () => {
  const model = modelOf('m', { modifiedAt: '2026-11-03T12:00:00+02:00' });
  const lastUse = (time: string) => withLastUse(model, new Map([['m', time]])).lastUsed;
  expect(lastUse('2026-11-03T09:59:59Z')).toBeUndefined();
  expect(lastUse('2026-11-03T10:00:01Z')).toBe('2026-11-03T10:00:01Z');
});

const models = [
  modelOf('b', { sizeBytes: 300, lastUsed: '2026-11-02T10:00:00Z' }),
  modelOf('c', { sizeBytes: 200, quantization: 'F16', capabilities: ['embedding'] }),
  modelOf('a', { sizeBytes: 200, lastUsed: '2026-11-02T12:00:00+02:00' }),
];
const names = (list: readonly ModelRow[]): string => list.map(({ name }) => name).join('');

test.each<[SortOrder, string]>([
  [{ key: 'name', descending: false }, 'abc'],
  [{ key: 'name', descending: true }, 'cba'],
  // Equal ones are in the order of their names, in both directions.
  [{ key: 'size', descending: true }, 'bac'],
  [{ key: 'size', descending: false }, 'acb'],
  [{ key: 'quantization', descending: false }, 'cab'],
  // The times are compared, not their texts.
  [{ key: 'used', descending: false }, 'cab'],
])('%j', (order, expected) => {
  expect(names(sortModels(models, order))).toBe(expected);
});

test('the tag that is not shown does not count', () => {
  const list = sortModels([modelOf('ember-eyes:latest'), modelOf('ember:latest')], { key: 'name', descending: false });
  expect(list[0]?.name).toBe('ember:latest');
});

test('a second click on a heading turns the order around', () => {
  const bySize = nextOrder({ key: 'name', descending: false }, 'size');
  expect(bySize).toEqual({ key: 'size', descending: true });
  expect(nextOrder(bySize, 'size')).toEqual({ key: 'size', descending: false });
  expect(nextOrder(bySize, 'name')).toEqual({ key: 'name', descending: false });
});

test.each([
  ['', '', 'bca'],
  ['A', '', 'a'],
  ['f16', '', 'c'],
  ['q4 42m b', '', 'b'],
  ['', 'embedding', 'c'],
  ['a', 'embedding', ''],
])('the query %j with the capability %j finds %j', (query, capability, expected) => {
  expect(names(filterModels(models, { query, capability }))).toBe(expected);
});
