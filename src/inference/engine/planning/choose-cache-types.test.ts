import { expect, test } from 'vitest';
import { type OptionValues, resolveOptions } from '../../../models/options.ts';
import type { ModelShape } from '../ports.ts';
import { type CacheTypeSettings, chooseCacheTypes, toCacheTypes } from './choose-cache-types.ts';

const f16: CacheTypeSettings = { cacheTypes: { keys: 'f16', values: 'f16' }, flashAttention: 'auto' };
const q8: CacheTypeSettings = { cacheTypes: { keys: 'q8_0', values: 'q8_0' }, flashAttention: 'auto' };
const choose = (
  options: OptionValues,
  settings = f16,
  shape: Partial<ModelShape> = { keyLength: 64, valueLength: 64 },
) => chooseCacheTypes({ options: resolveOptions(options).load, shape: shape as ModelShape }, settings);

test('the options decide, each for itself, then the settings', () => {
  expect(choose({}, q8)).toEqual({ keys: 'q8_0', values: 'q8_0' });
  expect(choose({ kvCacheTypeK: 'bf16' }, q8)).toEqual({ keys: 'bf16', values: 'q8_0' });
  expect(choose({ kvCacheTypeV: 'iq4_nl' })).toEqual({ keys: 'f16', values: 'iq4_nl' });
});

test('quantized values need flash attention, keys do not', () => {
  const settings = { ...f16, flashAttention: false };
  expect(choose({ kvCacheTypeK: 'q4_0' }, settings)).toEqual({ keys: 'q4_0', values: 'f16' });
  expect(choose({ kvCacheTypeV: 'bf16' }, settings).values).toBe('bf16');
  expect(() => choose({ kvCacheTypeV: 'q4_0' }, settings)).toThrow(
    'option "kv_cache_type_v" cannot be q4_0: quantized values need flash attention',
  );
});

test('heads that do not consist of blocks: an option fails, a setting does not', () => {
  const odd = { keyLength: 80, valueLength: 64 };
  expect(choose({}, q8, odd)).toEqual({ keys: 'f16', values: 'q8_0' });
  expect(() => choose({ kvCacheTypeK: 'q8_0' }, f16, odd)).toThrow(
    expect.objectContaining({
      code: 'bad_request',
      message:
        'option "kv_cache_type_k" cannot be q8_0: the heads of the model have 80 values, which is not a multiple of 32; use f16',
    }),
  );
});

test('the settings: one type for both, or one for each', () => {
  const same = { kvCacheType: 'q8_0', kvCacheTypeK: 'same', kvCacheTypeV: 'same', flashAttention: 'auto' } as const;
  expect(toCacheTypes(same)).toEqual({ keys: 'q8_0', values: 'q8_0' });
  expect(toCacheTypes({ ...same, kvCacheTypeV: 'bf16' })).toEqual({ keys: 'q8_0', values: 'bf16' });
  expect(toCacheTypes({ ...same, kvCacheTypeV: 'f16', flashAttention: false }).keys).toBe('q8_0');
  expect(() => toCacheTypes({ ...same, flashAttention: false })).toThrow(
    expect.objectContaining({ code: 'bad_configuration' }),
  );
});
