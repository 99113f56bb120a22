// A row of the dialect: how the files of one architecture that Ollama published differ from those of llama.cpp.

import { malformed } from '../byte-reader.ts';
import type { GgufEntry } from '../encode-entry.ts';
import type { HeaderEdit, HeaderReader } from './header-edit.ts';

export interface DialectRow {
  /** Also the name that `show` prints. */
  readonly name: string;
  readonly architectures: readonly string[];
  /** Whether a file of this architecture is one that Ollama wrote. Absent: the name of the architecture says so. */
  readonly applies?: (header: HeaderReader) => boolean;
  /** Whether `applies` must see long arrays, which most readers leave out. */
  readonly needsArrays?: (header: HeaderReader) => boolean;
  /** Prefixes of tensors that are not part of the language model. */
  readonly others?: readonly string[];
  readonly editWeights: (edit: HeaderEdit) => void;
  /** The image encoder in the same file. */
  readonly projector?: ProjectorRow;
}

interface ProjectorRow {
  /** Prefixes of its tensors. */
  readonly tensors: readonly string[];
  /** Whether the file has one. Absent: it has a tensor of the first prefix. */
  readonly exists?: (header: HeaderReader) => boolean;
  readonly edit: (edit: HeaderEdit) => void;
}

/** Most are derived from numbers in the file, which can be any. */
export function u32Entry(value: number): GgufEntry {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) throw malformed(`a length in it is ${value}`);
  return { type: 'u32', value };
}
export const f32Entry = (value: number): GgufEntry => ({ type: 'f32', value });
export const textEntry = (value: string): GgufEntry => ({ type: 'string', value });
export const flagEntry = (value: boolean): GgufEntry => ({ type: 'bool', value });
export const floatsEntry = (...value: readonly number[]): GgufEntry => ({ type: 'f32s', value });

export const vision = ['v.', 'mm.'] as const;
const halves = floatsEntry(0.5, 0.5, 0.5);
export const clipMean = floatsEntry(0.48145466, 0.4578275, 0.40821073);
export const clipDeviation = floatsEntry(0.26862954, 0.26130258, 0.27577711);

export const preTokenizer = 'tokenizer.ggml.pre';

/** llama.cpp has a fourth section, which is empty. */
export function padSections(edit: HeaderEdit, from: string, to: string): void {
  const sections = edit.source.numbers(from);
  if (sections?.length === 3) edit.set(to, { type: 'i32s', value: [...sections, 0] });
}

/** Some files have a number for each layer, 0 where a layer does not attend. llama.cpp expects the largest one. */
export function useLargest(edit: HeaderEdit, key: string, fallback: number): void {
  const values = edit.source.numbers(key);
  if (values === undefined) return;
  const largest = values.reduce((most, value) => Math.max(most, value), 0) || fallback;
  if (largest > 0) edit.set(key, u32Entry(largest));
}

/** Keys of the image encoder, by the part of the name after `clip.` in the result. */
export function copyClipKeys(edit: HeaderEdit, keys: Readonly<Record<string, string>>): void {
  const { architecture } = edit.source;
  for (const [to, from] of Object.entries(keys)) edit.copy(`${architecture}.${from}`, `clip.${to}`);
}

/** Most image encoders name these alike. */
export const commonVisionKeys = {
  'vision.block_count': 'vision.block_count',
  'vision.embedding_length': 'vision.embedding_length',
  'vision.feed_forward_length': 'vision.feed_forward_length',
  'vision.attention.head_count': 'vision.attention.head_count',
  'vision.attention.layer_norm_epsilon': 'vision.attention.layer_norm_epsilon',
  'vision.image_size': 'vision.image_size',
  'vision.patch_size': 'vision.patch_size',
  'vision.num_channels': 'vision.num_channels',
  'vision.spatial_merge_size': 'vision.spatial_merge_size',
  // The result of the projector is the input of the language model.
  'vision.projection_dim': 'embedding_length',
} as const;

interface ClipOptions {
  readonly type: string;
  readonly activation?: 'gelu' | 'silu';
  readonly mean?: GgufEntry;
  readonly deviation?: GgufEntry;
}

/** What every projector with an image encoder has. */
export function describeClip(edit: HeaderEdit, options: ClipOptions): void {
  const { type, activation = 'gelu', mean = halves, deviation = halves } = options;
  edit.setDefaults({
    'clip.has_vision_encoder': flagEntry(true),
    [`clip.use_${activation}`]: flagEntry(true),
    'clip.vision.image_mean': mean,
    'clip.vision.image_std': deviation,
  });
  edit.set('clip.projector_type', textEntry(type));
}

export function blocksIn(names: readonly string[], pattern: RegExp): number[] {
  return [...new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number))];
}
