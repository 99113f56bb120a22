import { expect, test } from 'vitest';
import { settingTable } from '../settings/setting-table.ts';
import { bytesPerValue, isQuantized, kvCacheTypeNames } from './kv-cache-types.ts';

test('settings and options have the same types', () => {
  expect(settingTable.kvCacheType.kind.name.split(' | ')).toEqual(kvCacheTypeNames);
  expect(settingTable.kvCacheTypeV.kind.name.split(' | ')).toEqual(['same', ...kvCacheTypeNames]);
});

test('the size of a value includes its share of the scales of its block', () => {
  expect(kvCacheTypeNames.map((name) => bytesPerValue(name) * 32)).toEqual([64, 64, 128, 34, 24, 22, 20, 18, 18]);
});

test('only types with blocks are quantized', () => {
  expect(kvCacheTypeNames.filter((name) => !isQuantized(name))).toEqual(['f16', 'bf16', 'f32']);
});
