// Tiny models with random weights, in memory: keys, and tensors with values that every float format has. The same weights
// can be written in several dialects.

import { convertFloats } from '../../../src/formats/checkpoint/tensors/number-formats.ts';
import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import { randomNumbers } from '../models/random-numbers.ts';
import { writeGguf } from '../models/write-gguf.ts';

export type Keys = Readonly<Record<string, GgufEntry>>;

export interface TinyTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: 'F32' | 'F16';
  readonly values: Float32Array;
}

export interface TinyModel {
  readonly keys: Keys;
  readonly tensors: readonly TinyTensor[];
}

/** Names and shapes in the order of GGUF: the row size comes first. */
export type Shapes = readonly (readonly [name: string, ...shape: number[]])[];

export const u32 = (value: number): GgufEntry => ({ type: 'u32', value });
export const f32 = (value: number): GgufEntry => ({ type: 'f32', value });
export const text = (value: string): GgufEntry => ({ type: 'string', value });
export const flag = (value: boolean): GgufEntry => ({ type: 'bool', value });
export const i32s = (...value: readonly number[]): GgufEntry => ({ type: 'i32s', value });
export const f32s = (...value: readonly number[]): GgufEntry => ({ type: 'f32s', value });

export const width = 64;
export const heads = 4;
export const keyHeads = 2;
export const headLength = 16;
export const inner = 96;

const specials = [
  '<unk>',
  '<s>',
  '</s>',
  '<|end|>',
  '<start_of_image>',
  '<end_of_image>',
  '<|vision_start|>',
  '<|vision_end|>',
];
const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
/** Byte-level, without merges: each character is a token. */
export const vocabulary = [
  ...specials,
  ...printable,
  'Ġ',
  'Ċ',
  '[IMG]',
  '[IMG_BREAK]',
  '[IMG_END]',
  '<|image_start|>',
  '<|image_end|>',
  '<|image|>',
];
const [normal, control] = [1, 3] as const;

export const tokenizer: Keys = {
  'tokenizer.ggml.model': text('gpt2'),
  'tokenizer.ggml.pre': text('gpt-2'),
  'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary },
  'tokenizer.ggml.token_type': i32s(...vocabulary.map((token) => (token.length > 1 ? control : normal))),
  'tokenizer.ggml.merges': { type: 'strings', value: [] },
  'tokenizer.ggml.bos_token_id': u32(1),
  'tokenizer.ggml.eos_token_id': u32(2),
  'tokenizer.ggml.add_bos_token': flag(false),
};

/** All keys that begin with a dot belong to the architecture. */
export function tinyModel(architecture: string, keys: Keys, shapes: Shapes): TinyModel {
  const named = Object.entries(keys).map(([key, entry]) => [
    key.startsWith('.') ? `${architecture}${key}` : key,
    entry,
  ]);
  return {
    keys: { 'general.architecture': text(architecture), 'general.file_type': u32(0), ...Object.fromEntries(named) },
    tensors: shapes.map(([name, ...shape]) => randomTensor(name, shape)),
  };
}

/** The values depend on the name. They are multiples of 1/1024, which F16 has. None is a negative zero. */
export function randomTensor(name: string, shape: readonly number[]): TinyTensor {
  const next = randomNumbers([...name].reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) | 0, 7) || 1);
  const length = shape.reduce((product, size) => product * size, 1);
  const spread = 1.7 / Math.sqrt(shape.length === 1 ? width : (shape[0] as number));
  const value = (): number => {
    if (/norm|ln\d?\.weight|_ln\.weight/.test(name)) return 0.8 + 0.4 * next();
    if (name.endsWith('ssm_a')) return -0.05 - next();
    return spread * (2 * next() - 1);
  };
  const values = Float32Array.from({ length }, () => Math.round(1024 * value()) / 1024 + 0);
  return { name, shape, type: 'F32', values };
}

export function writeTinyModel(path: string, { keys, tensors }: TinyModel): void {
  writeGguf(
    path,
    keys,
    tensors.map((tensor) => {
      const bytes = bytesOf(tensor);
      let done = 0;
      const fill = (buffer: Buffer): void => {
        bytes.copy(buffer, 0, done, done + buffer.length);
        done += buffer.length;
      };
      return { ...tensor, fill };
    }),
  );
}

export function bytesOf({ values, type }: TinyTensor): Buffer {
  return convertFloats(Buffer.from(values.buffer, values.byteOffset, values.byteLength), 'F32', type);
}

export function eachLayer(count: number, layer: (index: number) => Shapes): Shapes {
  return Array.from({ length: count }, (_, index) =>
    layer(index).map(([name, ...shape]) => [`blk.${index}.${name}`, ...shape] as const),
  ).flat();
}
