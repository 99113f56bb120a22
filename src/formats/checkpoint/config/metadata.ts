// The metadata of the result, in order. As in llama.cpp's converter, a key that is set again keeps its place.

import { encodeEntry, type GgufEntry } from '../../gguf/encode-entry.ts';

/** A value that is undefined is not written. */
export class Metadata {
  readonly #entries: Map<string, GgufEntry>;
  readonly #prefix: string;

  constructor(entries = new Map<string, GgufEntry>(), prefix = '') {
    this.#entries = entries;
    this.#prefix = prefix;
  }

  /** The same metadata; the keys that are set through the result start with the architecture. */
  withArchitecture(architecture: string): Metadata {
    return new Metadata(this.#entries, `${architecture}.`);
  }

  u32(key: string, value: number | undefined): void {
    if (value !== undefined) this.#set(key, { type: 'u32', value });
  }
  i32(key: string, value: number | undefined): void {
    if (value !== undefined) this.#set(key, { type: 'i32', value });
  }
  f32(key: string, value: number | undefined): void {
    if (value !== undefined) this.#set(key, { type: 'f32', value });
  }
  bool(key: string, value: boolean | undefined): void {
    if (value !== undefined) this.#set(key, { type: 'bool', value });
  }
  string(key: string, value: string | undefined): void {
    if (value !== undefined) this.#set(key, { type: 'string', value });
  }
  strings(key: string, value: readonly string[]): void {
    this.#set(key, { type: 'strings', value });
  }
  u8s(key: string, value: ArrayLike<number>): void {
    this.#set(key, { type: 'u8s', value });
  }
  bools(key: string, value: readonly boolean[]): void {
    this.#set(key, { type: 'bools', value });
  }
  i32s(key: string, value: ArrayLike<number>): void {
    this.#set(key, { type: 'i32s', value });
  }
  f32s(key: string, value: ArrayLike<number>): void {
    this.#set(key, { type: 'f32s', value });
  }

  encode(): Buffer[] {
    return [...this.#entries].map(([key, entry]) => encodeEntry(key, entry));
  }

  #set(key: string, entry: GgufEntry): void {
    this.#entries.set(this.#prefix + key, entry);
  }
}
