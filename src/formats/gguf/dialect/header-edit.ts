// Edits the header of a GGUF file: the operations that the rows of the dialect need. Names that are not there are ignored,
// because published files differ.

import { malformed, shown } from '../byte-reader.ts';
import type { GgufEntry } from '../encode-entry.ts';
import type { GgufMetadata } from '../metadata.ts';
import type { Gguf, GgufTensor } from '../read-gguf.ts';
import { type TensorType, tensorTypes } from '../tensor-types.ts';
import { bytesOfFloats, toFloats } from './to-floats.ts';
import {
  bytesOfTensor,
  type KeySource,
  type TensorData,
  type TranslatedFile,
  type TranslatedTensor,
} from './translation.ts';

type Replacement = readonly [from: string | RegExp, to: string | ((match: string, ...groups: string[]) => string)];

export type GgufHeader = Pick<Gguf, 'metadata' | 'tensors'>;

export const f32Type = tensorTypes.get(0) as TensorType;
// Computed tensors are in memory as a whole. The largest real one has 70 MB.
const maxComputedBytes = 512 * 2 ** 20;

export class HeaderEdit {
  /** As it is in the file. */
  readonly source: HeaderReader;
  readonly #keys: Map<string, KeySource>;
  /** By name. */
  #tensors: Map<string, TranslatedTensor>;

  /** `keeps`: whether a tensor of the source is part of the result. */
  constructor(header: GgufHeader, keys: 'all' | 'none', keeps: (name: string) => boolean) {
    this.source = new HeaderReader(header);
    const names = keys === 'all' ? [...header.metadata.keys()] : [];
    this.#keys = new Map(names.map((name) => [name, { from: name }]));
    this.#tensors = byName(header.tensors.filter(({ name }) => keeps(name)).map(toTranslated));
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  set(key: string, entry: GgufEntry): void {
    this.#keys.set(key, { entry });
  }

  setDefault(key: string, entry: GgufEntry): void {
    if (!this.has(key)) this.set(key, entry);
  }

  setDefaults(entries: Readonly<Record<string, GgufEntry>>): void {
    for (const [key, entry] of Object.entries(entries)) this.setDefault(key, entry);
  }

  /** For values of long arrays, which not every reader keeps. */
  make(key: string, make: (source: GgufMetadata) => GgufEntry): void {
    this.#keys.set(key, { make });
  }

  /** The value of a key of the source, unless the target has one. */
  copy(from: string, to: string): void {
    if (this.source.has(from) && !this.has(to)) this.#keys.set(to, { from });
  }

  /** As `copy`, but the key of the source is not part of the result. */
  move(from: string, to: string): void {
    this.copy(from, to);
    this.#keys.delete(from);
  }

  keyNames(): string[] {
    return [...this.#keys.keys()];
  }

  remove(key: string): void {
    this.#keys.delete(key);
  }

  /** All keys of an architecture get the name of another one, which is the one of the result. */
  renameArchitecture(from: string, to: string): void {
    for (const [key, value] of [...this.#keys]) {
      if (!key.startsWith(`${from}.`)) continue;
      this.#keys.delete(key);
      const target = `${to}${key.slice(from.length)}`;
      if (!this.has(target)) this.#keys.set(target, value);
    }
    this.set('general.architecture', { type: 'string', value: to });
  }

  tensor(name: string): TranslatedTensor | undefined {
    return this.#tensors.get(name);
  }

  names(): string[] {
    return [...this.#tensors.keys()];
  }

  rename(from: string, to: string): void {
    this.replace(from, { name: to });
  }

  /** Replaces the first occurrence of each text in all names, in this order. */
  replaceInNames(replacements: readonly Replacement[]): void {
    const replaced = (name: string): string =>
      replacements.reduce(
        (text, [from, to]) => (typeof to === 'string' ? text.replace(from, to) : text.replace(from, to)),
        name,
      );
    this.#tensors = byName([...this.#tensors.values()].map((tensor) => ({ ...tensor, name: replaced(tensor.name) })));
  }

  drop(name: string): void {
    this.#tensors.delete(name);
  }

  add(tensor: TranslatedTensor): void {
    if (tensor.data.compute !== undefined && bytesOfTensor(tensor) > maxComputedBytes)
      throw malformed(`tensor ${shown(tensor.name)} is too large to be converted`);
    this.#tensors.set(tensor.name, tensor);
  }

  /** Changes the tensor of that name. */
  replace(name: string, change: Partial<TranslatedTensor>): void {
    const tensor = this.tensor(name);
    if (tensor === undefined) return;
    this.drop(name);
    this.add({ ...tensor, ...change });
  }

  toF32(name: string): void {
    const tensor = this.tensor(name);
    if (tensor !== undefined && tensor.type !== f32Type) this.replace(name, { type: f32Type, data: asF32(tensor) });
  }

  /** Several tensors as one: their rows follow each other. Different types become F32. Nothing happens if one is missing. */
  join(names: readonly string[], to: string): void {
    const found = names.map((name) => this.tensor(name)).filter((tensor) => tensor !== undefined);
    const [first] = found;
    if (first === undefined || found.length < names.length) return;
    const isPlain = found.every(({ type, data }) => type === first.type && data.compute === undefined);
    const last = first.shape.length - 1;
    const rows = found.reduce((sum, { shape }) => sum + (shape[last] ?? 0), 0);
    for (const name of names) this.drop(name);
    this.add({
      name: to,
      shape: first.shape.with(last, rows),
      type: isPlain ? first.type : f32Type,
      data: isPlain ? { spans: found.flatMap(({ data }) => data.spans) } : joinAsF32(found),
    });
  }

  finish(): TranslatedFile {
    return { keys: this.#keys, tensors: [...this.#tensors.values()] };
  }
}

/** Values of the wrong kind count as absent. */
export class HeaderReader {
  readonly architecture: string;
  readonly #header: GgufHeader;
  readonly #tensors: ReadonlyMap<string, GgufTensor>;

  constructor(header: GgufHeader) {
    this.#header = header;
    this.#tensors = byName(header.tensors);
    this.architecture = String(header.metadata.get('general.architecture'));
  }

  has(key: string): boolean {
    return this.#header.metadata.has(key);
  }

  number(key: string): number | undefined {
    const value = this.#header.metadata.get(key);
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  text(key: string): string | undefined {
    const value = this.#header.metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  }

  numbers(key: string): readonly number[] | undefined {
    const value = this.#header.metadata.get(key);
    return Array.isArray(value) ? value.map(Number) : undefined;
  }

  strings(key: string): readonly string[] {
    const value = this.#header.metadata.get(key);
    return Array.isArray(value) ? value.map(String) : [];
  }

  hasStrings(key: string): boolean {
    const value = this.#header.metadata.get(key);
    return Array.isArray(value) && typeof value[0] === 'string';
  }

  tensor(name: string): GgufTensor | undefined {
    return this.#tensors.get(name);
  }

  tensorNames(): string[] {
    return [...this.#tensors.keys()];
  }

  hasTensor(...prefixes: readonly string[]): boolean {
    return this.#header.tensors.some(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));
  }
}

function byName<Tensor extends { readonly name: string }>(tensors: readonly Tensor[]): Map<string, Tensor> {
  return new Map(tensors.map((tensor) => [tensor.name, tensor]));
}

function toTranslated({ name, shape, type, offset, bytes }: GgufTensor): TranslatedTensor {
  return { name, shape, type, data: { spans: [{ offset, bytes }] } };
}

function asF32({ type, data }: TranslatedTensor): TensorData {
  const { spans, compute = (source: Buffer) => source } = data;
  return { spans, compute: (source) => bytesOfFloats(toFloats(compute(source), type)) };
}

function joinAsF32(tensors: readonly TranslatedTensor[]): TensorData {
  const parts = tensors.map((tensor) => ({ ...asF32(tensor), bytes: bytesOfSpans(tensor.data) }));
  return {
    spans: parts.flatMap(({ spans }) => spans),
    compute(source) {
      let start = 0;
      return Buffer.concat(
        parts.map(({ bytes, compute }) => {
          const own = source.subarray(start, start + bytes);
          start += bytes;
          return compute?.(own) ?? own;
        }),
      );
    },
  };
}

function bytesOfSpans({ spans }: TensorData): number {
  return spans.reduce((sum, { bytes }) => sum + bytes, 0);
}
