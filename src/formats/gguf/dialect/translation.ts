// What a translation of a GGUF file says: the keys and tensors of the file that llama.cpp gets, and where their bytes come
// from. Nothing is read or written here.

import type { GgufEntry } from '../encode-entry.ts';
import type { GgufMetadata, GgufValue } from '../metadata.ts';
import type { ByteSpan, Gguf, GgufTensor } from '../read-gguf.ts';
import type { TensorType } from '../tensor-types.ts';

export interface Translation {
  /** The name of the row in the table of dialects. */
  readonly row: string;
  /** Absent if the file is only a projector. */
  readonly weights?: TranslatedFile;
  /** The image encoder that the file of the weights contains, or a translated projector. */
  readonly projector?: TranslatedFile;
}

export interface TranslatedFile {
  readonly keys: ReadonlyMap<string, KeySource>;
  readonly tensors: readonly TranslatedTensor[];
}

/** The value of a key: of a key in the source, a new one, or made from the metadata of the source. Arrays of the metadata
 * are empty if the reader left them out, so `make` must accept that. */
export type KeySource =
  | { readonly from: string }
  | { readonly entry: GgufEntry }
  | { readonly make: (source: GgufMetadata) => GgufEntry };

export interface TranslatedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: TensorType;
  readonly data: TensorData;
}

/** Ranges of the source one after another, or bytes that are computed from them. Only small tensors are computed. */
export interface TensorData {
  readonly spans: readonly ByteSpan[];
  readonly compute?: (source: Buffer) => Buffer;
}

export function bytesOfTensor({ shape, type }: Pick<TranslatedTensor, 'shape' | 'type'>): number {
  return (shape.reduce((product, size) => product * size, 1) / type.blockLength) * type.blockBytes;
}

/** The header of the translated file, as its reader sees it. Offsets are 0: the file need not exist. */
export function viewOf({ keys, tensors }: TranslatedFile, source: Gguf): Gguf {
  const { metadata } = source;
  const readKey = (key: KeySource): GgufValue => {
    if ('from' in key) return metadata.get(key.from) ?? '';
    const { value } = 'entry' in key ? key.entry : key.make(metadata);
    return typeof value === 'object' ? (Array.from(value as ArrayLike<number>) as GgufValue) : value;
  };
  return {
    ...source,
    metadata: new Map([...keys].map(([name, key]) => [name, readKey(key)])),
    tensors: tensors.map((tensor): GgufTensor => ({ ...tensor, offset: 0, bytes: bytesOfTensor(tensor) })),
  };
}
