// The metadata of the result, in order. As in llama.cpp's converter, a key that is set again keeps its place.

import { encodeEntry, type GgufEntry } from '../gguf/encode-entry.ts';

export interface Metadata {
  /** Does nothing if the value is undefined. */
  u32(key: string, value: number | undefined): void;
  i32(key: string, value: number | undefined): void;
  f32(key: string, value: number | undefined): void;
  bool(key: string, value: boolean | undefined): void;
  string(key: string, value: string | undefined): void;
  strings(key: string, value: readonly string[]): void;
  u8s(key: string, value: ArrayLike<number>): void;
  i32s(key: string, value: ArrayLike<number>): void;
  f32s(key: string, value: ArrayLike<number>): void;
  encode(): Buffer[];
}

export function createMetadata(): Metadata {
  const entries = new Map<string, GgufEntry>();
  return {
    u32: (key, value) => void (value !== undefined && entries.set(key, { type: 'u32', value })),
    i32: (key, value) => void (value !== undefined && entries.set(key, { type: 'i32', value })),
    f32: (key, value) => void (value !== undefined && entries.set(key, { type: 'f32', value })),
    bool: (key, value) => void (value !== undefined && entries.set(key, { type: 'bool', value })),
    string: (key, value) => void (value !== undefined && entries.set(key, { type: 'string', value })),
    strings: (key, value) => void entries.set(key, { type: 'strings', value }),
    u8s: (key, value) => void entries.set(key, { type: 'u8s', value }),
    i32s: (key, value) => void entries.set(key, { type: 'i32s', value }),
    f32s: (key, value) => void entries.set(key, { type: 'f32s', value }),
    encode: () => [...entries].map(([key, entry]) => encodeEntry(key, entry)),
  };
}
