// The data types of the KV cache. Quantized types store blocks of values with a common scale, as ggml defines them.

interface KvCacheTypeRow {
  /** The number of the type in ggml. */
  readonly number: number;
  readonly blockValues: number;
  readonly blockBytes: number;
}

export const kvCacheTypes = {
  f16: { number: 1, blockValues: 1, blockBytes: 2 },
  bf16: { number: 30, blockValues: 1, blockBytes: 2 },
  f32: { number: 0, blockValues: 1, blockBytes: 4 },
  q8_0: { number: 8, blockValues: 32, blockBytes: 34 },
  q5_1: { number: 7, blockValues: 32, blockBytes: 24 },
  q5_0: { number: 6, blockValues: 32, blockBytes: 22 },
  q4_1: { number: 3, blockValues: 32, blockBytes: 20 },
  q4_0: { number: 2, blockValues: 32, blockBytes: 18 },
  iq4_nl: { number: 20, blockValues: 32, blockBytes: 18 },
} as const satisfies Record<string, KvCacheTypeRow>;

export type KvCacheType = keyof typeof kvCacheTypes;

/** Keys and values may have different types. */
export interface CacheTypes {
  readonly keys: KvCacheType;
  readonly values: KvCacheType;
}

export const kvCacheTypeNames = Object.keys(kvCacheTypes) as readonly KvCacheType[];

export function bytesPerValue(type: KvCacheType): number {
  const { blockBytes, blockValues } = kvCacheTypes[type];
  return blockBytes / blockValues;
}

/** llama.cpp needs flash attention for quantized values, and heads that consist of entire blocks. */
export function isQuantized(type: KvCacheType): boolean {
  return kvCacheTypes[type].blockValues > 1;
}
