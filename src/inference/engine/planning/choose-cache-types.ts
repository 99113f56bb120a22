// The data types of a model's KV cache: the options decide, then the settings. An option that cannot be fulfilled is an
// error. A setting is for all models, so a model that cannot use a quantized type gets f16.

import { HearthError } from '../../../base/errors.ts';
import { type CacheTypes, isQuantized, type KvCacheType, kvCacheTypes } from '../../../models/kv-cache-types.ts';
import { optionName } from '../../../models/options.ts';
import type { LocalRequest } from '../local-request.ts';

export interface CacheTypeSettings {
  readonly cacheTypes: CacheTypes;
  readonly flashAttention: boolean | 'auto';
}

export function chooseCacheTypes(
  { options, shape }: Pick<LocalRequest, 'options' | 'shape'>,
  { cacheTypes, flashAttention }: CacheTypeSettings,
): CacheTypes {
  return {
    keys: choose('kvCacheTypeK', cacheTypes.keys, (type) => explainHeads(type, shape?.keyLength)),
    values: choose(
      'kvCacheTypeV',
      cacheTypes.values,
      (type) => explainFlash(type, flashAttention) ?? explainHeads(type, shape?.valueLength),
    ),
  };

  function choose(
    key: 'kvCacheTypeK' | 'kvCacheTypeV',
    setting: KvCacheType,
    explain: (type: KvCacheType) => string | undefined,
  ): KvCacheType {
    const requested = options[key];
    const reason = explain(requested ?? setting);
    if (reason === undefined) return requested ?? setting;
    if (requested === undefined) return 'f16';
    throw new HearthError('bad_request', `option "${optionName(key)}" cannot be ${requested}: ${reason}; use f16`);
  }
}

interface GivenTypes {
  readonly kvCacheType: KvCacheType;
  readonly kvCacheTypeK: KvCacheType | 'same';
  readonly kvCacheTypeV: KvCacheType | 'same';
  readonly flashAttention: boolean | 'auto';
}

/** The types of the settings. Throws `bad_configuration` if they contradict each other. */
export function toCacheTypes({ kvCacheType, kvCacheTypeK, kvCacheTypeV, flashAttention }: GivenTypes): CacheTypes {
  const keys = kvCacheTypeK === 'same' ? kvCacheType : kvCacheTypeK;
  const values = kvCacheTypeV === 'same' ? kvCacheType : kvCacheTypeV;
  if (flashAttention !== false || !isQuantized(values)) return { keys, values };
  const remedy = 'set HEARTH_FLASH_ATTENTION to auto, or HEARTH_KV_CACHE_TYPE_V to f16';
  const message = `values of type ${values} in the KV cache need flash attention: ${remedy}`;
  throw new HearthError('bad_configuration', message);
}

function explainFlash(type: KvCacheType, flashAttention: boolean | 'auto'): string | undefined {
  return flashAttention === false && isQuantized(type)
    ? 'quantized values need flash attention, which the setting flash_attention disables'
    : undefined;
}

function explainHeads(type: KvCacheType, length: number | undefined): string | undefined {
  const { blockValues } = kvCacheTypes[type];
  return length !== undefined && length % blockValues !== 0
    ? `the heads of the model have ${length} values, which is not a multiple of ${blockValues}`
    : undefined;
}
