// Writes the weights of a model as Ollama's library has them: the operations that take llama.cpp's dialect apart.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { type Keys, randomTensor, type TinyModel, type TinyTensor } from './tiny-model.ts';

export class PublishedFile {
  #keys: Map<string, GgufEntry>;
  #tensors: TinyTensor[];

  constructor({ keys, tensors }: TinyModel) {
    this.#keys = new Map(Object.entries(keys));
    this.#tensors = [...tensors];
  }

  result(): TinyModel {
    return { keys: Object.fromEntries(this.#keys), tensors: this.#tensors };
  }

  architecture(from: string, to: string): this {
    const renamed = (key: string): string => (key.startsWith(`${from}.`) ? `${to}${key.slice(from.length)}` : key);
    this.#keys = new Map([...this.#keys].map(([key, entry]) => [renamed(key), entry]));
    return this.set({ 'general.architecture': { type: 'string', value: to } });
  }

  set(keys: Keys): this {
    for (const [key, entry] of Object.entries(keys)) this.#keys.set(key, entry);
    return this;
  }

  without(...keys: readonly string[]): this {
    for (const key of keys) this.#keys.delete(key);
    return this;
  }

  renameKey(from: string, to: string): this {
    const entry = this.#keys.get(from);
    return entry === undefined ? this : this.without(from).set({ [to]: entry });
  }

  rename(...replacements: readonly (readonly [RegExp, string])[]): this {
    return this.#map((tensor) => ({
      ...tensor,
      name: replacements.reduce((name, [from, to]) => name.replace(from, to), tensor.name),
    }));
  }

  /** These weights as F16. */
  halve(pattern: RegExp): this {
    return this.#map((tensor) => (pattern.test(tensor.name) ? { ...tensor, type: 'F16' } : tensor));
  }

  /** Replaces each tensor by the ones that `split` returns. */
  split(pattern: RegExp, split: (tensor: TinyTensor) => readonly TinyTensor[]): this {
    this.#tensors = this.#tensors.flatMap((tensor) => (pattern.test(tensor.name) ? split(tensor) : [tensor]));
    return this;
  }

  drop(pattern: RegExp): this {
    return this.split(pattern, () => []);
  }

  /** A tensor that llama.cpp does not know. */
  addForeign(name: string, ...shape: readonly number[]): this {
    this.#tensors.push(randomTensor(name, shape));
    return this;
  }

  /** Puts the tensors of a projector before and after those of the language model, and its keys under the architecture. */
  embed(
    projector: TinyModel,
    architecture: string,
    keys: Readonly<Record<string, string>>,
    edit: (file: PublishedFile) => void,
  ): this {
    const file = new PublishedFile(projector);
    edit(file);
    const own = file.#tensors;
    this.#tensors = [...own.slice(0, own.length / 2), ...this.#tensors, ...own.slice(own.length / 2)];
    for (const [from, to] of Object.entries(keys)) {
      const entry = file.#keys.get(`clip.${from}`);
      if (entry !== undefined) this.#keys.set(`${architecture}.${to}`, entry);
    }
    return this;
  }

  #map(change: (tensor: TinyTensor) => TinyTensor): this {
    this.#tensors = this.#tensors.map(change);
    return this;
  }
}

/** The rows of a matrix, or the values of a vector, in equal parts. */
export function cutInto(names: readonly string[]): (tensor: TinyTensor) => TinyTensor[] {
  return ({ name, shape, type, values }) => {
    const last = shape.length - 1;
    const size = values.length / names.length;
    return names.map((part, index) => ({
      name: name.replace(/attn_qkv|ffn_up/, part),
      shape: shape.with(last, (shape[last] ?? 0) / names.length),
      type,
      values: values.slice(index * size, (index + 1) * size),
    }));
  };
}

/** The inverse of what llama.cpp's converter does with the rows of a head: the first of each pair, then the second. */
export function unpairRows(count: number): (tensor: TinyTensor) => TinyTensor[] {
  return (tensor) => {
    const [row = 1, rows = 1] = tensor.shape;
    const length = rows / count;
    const values = new Float32Array(tensor.values.length);
    for (let index = 0; index < rows; index++) {
      const place = index % length;
      const to = index - place + (place % 2) * (length / 2) + Math.floor(place / 2);
      values.set(tensor.values.subarray(index * row, (index + 1) * row), to * row);
    }
    return [{ ...tensor, values }];
  };
}
