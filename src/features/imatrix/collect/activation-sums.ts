// Sums the squares of what is multiplied with each matrix of a model, column by column, as llama-imatrix does: all products
// with the matrices of layers that have at least 16 rows, and those of experts separately for each expert.

import { HearthError } from '../../../base/errors.ts';
import { maxImatrixValues } from '../../../formats/gguf/imatrix.ts';
import type { ImatrixEntry } from '../../../formats/gguf/write-imatrix.ts';
import type { LlamaApi } from '../../../inference/runner/llama/bindings/llama-api.ts';
import type { TensorPointer } from '../../../inference/runner/llama/bindings/pointers.ts';
import { checkLayout, type GraphTensor, isF32, operationOf, readTensor, tensorNameOf } from './graph-tensor.ts';

type GraphApi = Pick<LlamaApi, 'operationName' | 'tensorName' | 'tensorBytes' | 'tensorGet'>;

const leastRows = 16;
// ggml has more operations; these two are among the first.
const searchedOperations = 64;

/** `CUDA0#blk.0.attn_k.weight#0` is a copy of `blk.0.attn_k.weight`. */
export function weightsNameOf(name: string): string {
  return name.split('#')[1] ?? name;
}

export class ActivationSums {
  readonly #api: GraphApi;
  readonly #products: { readonly plain: number; readonly ofExperts: number };
  readonly #entries = new Map<string, ImatrixEntry>();
  #values = 0;
  #checked = false;
  #buffer = new ArrayBuffer(0);
  /** The sums of the last input. The matrices of queries, keys and values follow each other and have the same one. */
  #last: { readonly pointer: TensorPointer; readonly shape: string; readonly sums: Float64Array } | undefined;

  constructor(api: GraphApi) {
    this.#api = api;
    const numberOf = (name: string): number =>
      Array.from({ length: searchedOperations }).findIndex((_, index) => api.operationName(index) === name);
    this.#products = { plain: numberOf('MUL_MAT'), ofExperts: numberOf('MUL_MAT_ID') };
  }

  /** In the order of their names. */
  get entries(): ImatrixEntry[] {
    return [...this.#entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Whether `add` is to be called with this tensor when it is computed. */
  wants(pointer: TensorPointer): boolean {
    const operation = operationOf(pointer);
    if (operation !== this.#products.plain && operation !== this.#products.ofExperts) return false;
    const [weights, input] = readTensor(pointer).sources as [TensorPointer, TensorPointer];
    if (!weightsNameOf(tensorNameOf(weights)).startsWith('blk.')) return false;
    if (operation === this.#products.ofExperts) return true;
    const tensor = readTensor(input);
    return isF32(tensor) && (tensor.shape[1] as number) >= leastRows;
  }

  add(pointer: TensorPointer): void {
    const { operation, sources } = readTensor(pointer);
    const [weights, input] = [readTensor(sources[0] as TensorPointer), readTensor(sources[1] as TensorPointer)];
    if (!this.#checked) checkLayout(this.#api, input);
    this.#checked = true;
    const name = weightsNameOf(tensorNameOf(weights.pointer));
    if (!isF32(input) || input.strides[0] !== Float32Array.BYTES_PER_ELEMENT)
      throw new HearthError('unsupported', `what is multiplied with ${name} is not F32`);
    if (operation === this.#products.plain) this.#addRows(name, weights, input);
    else this.#addExperts(name, weights, { input, ids: readTensor(sources[2] as TensorPointer) });
  }

  /** Called after each pass: its tensors may have the addresses of those of the next one. */
  endPass(): void {
    this.#last = undefined;
    for (const { name, sums } of this.#entries.values())
      if (!sums.every(Number.isFinite))
        throw new HearthError('request_failed', `the model computes numbers that are not finite at ${name}`);
  }

  #addRows(name: string, weights: GraphTensor, input: GraphTensor): void {
    const [columns = 0, rows = 0, channels = 1, samples = 1] = input.shape;
    const [, , matrices = 1, groups = 1] = weights.shape;
    const entry = this.#entryOf(name, { columns: columns * matrices * groups, counts: 1 });
    const sums = this.#sumRows(input, [matrices, groups]);
    for (let index = 0; index < sums.length; index++)
      entry.sums[index] = (entry.sums[index] as number) + (sums[index] as number);
    entry.counts[0] = (entry.counts[0] as number) + (rows * channels * samples) / (matrices * groups);
  }

  #sumRows(input: GraphTensor, [matrices, groups]: readonly [number, number]): Float64Array {
    const { pointer, shape, strides } = input;
    const key = [...shape, ...strides, matrices, groups].join();
    if (this.#last?.pointer === pointer && this.#last.shape === key) return this.#last.sums;
    const [columns = 0, rows = 0, channels = 1, samples = 1] = shape;
    const values = this.#copy(input, Float32Array);
    const [, rowStride, channelStride, sampleStride] = strides.map((bytes) => bytes / Float32Array.BYTES_PER_ELEMENT);
    const sums = new Float64Array(columns * matrices * groups);
    for (let sample = 0; sample < samples; sample++)
      for (let channel = 0; channel < channels; channel++) {
        const start = sample * (sampleStride as number) + channel * (channelStride as number);
        const target = ((sample % groups) * matrices + (channel % matrices)) * columns;
        for (let row = 0; row < rows; row++)
          addSquares(sums, target, values.subarray(start + row * (rowStride as number)), columns);
      }
    this.#last = { pointer, shape: key, sums };
    return sums;
  }

  #addExperts(
    name: string,
    weights: GraphTensor,
    { input, ids }: { readonly input: GraphTensor; readonly ids: GraphTensor },
  ): void {
    const [columns = 0, used = 1, tokens = 0] = input.shape;
    const experts = weights.shape[2] ?? 1;
    const entry = this.#entryOf(name, { columns: columns * experts, counts: experts });
    const chosen = this.#copy(ids, Int32Array).slice();
    const [idStride = 0, idRowStride = 0] = ids.strides.map((bytes) => bytes / Int32Array.BYTES_PER_ELEMENT);
    const [, usedStride = 0, tokenStride = 0] = input.strides.map((bytes) => bytes / Float32Array.BYTES_PER_ELEMENT);
    const values = this.#copy(input, Float32Array);
    for (let token = 0; token < tokens; token++)
      for (let index = 0; index < (ids.shape[0] as number); index++) {
        const expert = chosen[token * idRowStride + index * idStride] as number;
        if (!(expert >= 0 && expert < experts))
          throw new HearthError('request_failed', `${name}: there is no expert ${expert}`);
        const row = values.subarray((index % used) * usedStride + token * tokenStride);
        addSquares(entry.sums, expert * columns, row, columns);
        entry.counts[expert] = (entry.counts[expert] as number) + 1;
      }
  }

  #entryOf(name: string, { columns, counts }: { readonly columns: number; readonly counts: number }): ImatrixEntry {
    const known = this.#entries.get(name);
    if (known?.sums.length === columns && known.counts.length === counts) return known;
    if (known !== undefined)
      throw new HearthError('unsupported', `${name} is multiplied with rows of different lengths`);
    this.#values += columns;
    if (this.#values > maxImatrixValues)
      throw new HearthError('unsupported', `an importance matrix of more than ${maxImatrixValues} values`);
    const entry = { name, sums: new Float32Array(columns), counts: new Float32Array(counts) };
    this.#entries.set(name, entry);
    return entry;
  }

  /** Valid until the next call. */
  #copy<Values>(
    tensor: GraphTensor,
    View: new (buffer: ArrayBuffer, offset: number, length: number) => Values,
  ): Values {
    const bytes = Number(this.#api.tensorBytes(tensor.pointer));
    if (this.#buffer.byteLength < bytes) this.#buffer = new ArrayBuffer(bytes);
    this.#api.tensorGet(tensor.pointer, new Uint8Array(this.#buffer, 0, bytes), 0, bytes);
    return new View(this.#buffer, 0, bytes / Float32Array.BYTES_PER_ELEMENT);
  }
}

function addSquares(sums: Float32Array | Float64Array, target: number, row: Float32Array, columns: number): void {
  for (let column = 0; column < columns; column++) {
    const value = row[column] as number;
    sums[target + column] = (sums[target + column] as number) + value * value;
  }
}
