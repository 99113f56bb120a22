// The bytes of a translated file: a header, then data that is copied from the source or computed.

import { malformed, shown } from '../byte-reader.ts';
import { encodeEntry, encodeString } from '../encode-entry.ts';
import type { ByteSpan, Gguf } from '../read-gguf.ts';
import { aligned, writeGgufHeader } from '../write-gguf-header.ts';
import { bytesOfTensor, type KeySource, type TensorData, type TranslatedFile } from './translation.ts';

export interface TranslatedLayout {
  readonly bytes: number;
  /** In order, without gaps. */
  readonly pieces: readonly TranslatedPiece[];
}

export interface TranslatedPiece {
  /** From the start of the translated file. */
  readonly start: number;
  readonly bytes: number;
  readonly content: PieceContent;
}

type PieceContent =
  | { readonly kind: 'bytes'; readonly value: Buffer }
  | { readonly kind: 'copy'; readonly offset: number }
  | { readonly kind: 'computed'; readonly spans: readonly ByteSpan[]; readonly compute: (source: Buffer) => Buffer };

/** `source` with all arrays; `head`: the bytes of its header. */
export function planTranslated({ keys, tensors }: TranslatedFile, source: Gguf, head: Buffer): TranslatedLayout {
  const { version, layout } = source;
  const { alignment } = layout;
  const entries = [...keys].map(([key, value]) => encodeKey(key, value, source, head));
  const sized = tensors.map((tensor) => ({ ...tensor, bytes: bytesOfTensor(tensor) }));
  const header = writeGgufHeader({ version, alignment, entries, tensors: sized });
  const pieces: TranslatedPiece[] = [];
  let end = 0;
  const add = (bytes: number, content: PieceContent): void => {
    if (bytes > 0) pieces.push({ start: end, bytes, content });
    end += bytes;
  };
  add(header.length, { kind: 'bytes', value: header });
  for (const { name, data, bytes } of sized) {
    checkSize(name, data, bytes);
    for (const [length, content] of contentOf(data, bytes)) add(length, content);
    const padding = Buffer.alloc(aligned(end, alignment) - end);
    add(padding.length, { kind: 'bytes', value: padding });
  }
  return { bytes: end, pieces };
}

/** Tensors that are joined may not fit each other. */
function checkSize(name: string, { spans, compute }: TensorData, bytes: number): void {
  const copied = spans.reduce((sum, span) => sum + span.bytes, 0);
  if (!Number.isSafeInteger(bytes) || (compute === undefined && copied !== bytes))
    throw malformed(`the parts of tensor ${shown(name)} do not fit`);
}

/** The bytes of a computed piece. */
export function computePiece(compute: (source: Buffer) => Buffer, source: Buffer, bytes: number): Buffer {
  const result = compute(source);
  if (result.length !== bytes) throw malformed('a converted tensor has another size than expected');
  return result;
}

function contentOf({ spans, compute }: TensorData, bytes: number): (readonly [number, PieceContent])[] {
  if (compute !== undefined) return [[bytes, { kind: 'computed', spans, compute }]];
  return spans.map((span) => [span.bytes, { kind: 'copy', offset: span.offset }]);
}

function encodeKey(key: string, value: KeySource, { metadata, layout }: Gguf, head: Buffer): Buffer {
  if ('entry' in value) return encodeEntry(key, value.entry);
  if ('make' in value) return encodeEntry(key, value.make(metadata));
  const span = layout.entries.get(value.from) ?? { offset: 0, bytes: 0 };
  // The type and the value follow the name.
  const start = span.offset + encodeString(value.from).length;
  return Buffer.concat([encodeString(key), head.subarray(start, span.offset + span.bytes)]);
}
