// Reads a GGUF file whose dialect is not known.

import { type FileHandle, open } from 'node:fs/promises';
import { malformed } from '../byte-reader.ts';
import { type Gguf, readGgufFile, readSpan } from '../read-gguf.ts';
import { needsArrays, translateGguf } from './translate-gguf.ts';
import { computePiece, planTranslated, type TranslatedLayout, type TranslatedPiece } from './translated-layout.ts';
import { type TranslatedFile, type Translation, viewOf } from './translation.ts';

interface ReadDialect {
  /** As the file has it. */
  readonly gguf: Gguf;
  /** Undefined if llama.cpp loads the file as it is. */
  readonly translation: Translation | undefined;
  /** The header that llama.cpp gets. */
  readonly view: Gguf;
}

// Some entries have a number for each layer, and rows of the dialect need them.
const perLayer = 1024;

export async function readDialect(
  path: string,
  options: Parameters<typeof readGgufFile>[1] = {},
): Promise<ReadDialect> {
  const { maxArray = Number.POSITIVE_INFINITY } = options;
  const gguf = await readGgufFile(path, { ...options, maxArray: Math.max(maxArray, perLayer) });
  const isComplete = maxArray === Number.POSITIVE_INFINITY || !needsArrays(gguf);
  const translation = translateGguf(isComplete ? gguf : await readGgufFile(path));
  const file = translation?.weights ?? translation?.projector;
  return { gguf, translation, view: file === undefined ? gguf : viewOf(file, gguf) };
}

export type TranslatedPart = 'weights' | 'projector';

/** Where the bytes of a translated file come from. Throws if the file is of llama.cpp's own dialect. */
export async function readLayout(path: string, part: TranslatedPart): Promise<TranslatedLayout> {
  const { gguf, translation } = await readDialect(path);
  const file: TranslatedFile | undefined = translation?.[part];
  if (file === undefined) throw malformed(`it has no ${part} to translate`);
  const handle = await open(path, 'r');
  try {
    return planTranslated(file, gguf, await readSpan(handle, { offset: 0, bytes: gguf.layout.headerBytes }));
  } finally {
    await handle.close();
  }
}

interface TranslateOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const blockBytes = 2 ** 20;

/** The translated file, block by block. */
export async function* translatedBytes(
  path: string,
  part: TranslatedPart,
  { signal, onProgress }: TranslateOptions = {},
): AsyncGenerator<Buffer> {
  const { pieces, bytes } = await readLayout(path, part);
  const file = await open(path, 'r');
  let done = 0;
  try {
    for (const piece of pieces) {
      for await (const block of blocksOf(file, piece)) {
        signal?.throwIfAborted();
        done += block.length;
        onProgress?.(done, bytes);
        yield block;
      }
    }
  } finally {
    await file.close();
  }
}

async function* blocksOf(file: FileHandle, { bytes, content }: TranslatedPiece): AsyncGenerator<Buffer> {
  if (content.kind === 'bytes') yield content.value;
  else if (content.kind === 'computed') {
    const sources = await Promise.all(content.spans.map((span) => readSpan(file, span)));
    yield computePiece(content.compute, Buffer.concat(sources), bytes);
  } else {
    for (let done = 0; done < bytes; done += blockBytes)
      yield await readSpan(file, { offset: content.offset + done, bytes: Math.min(blockBytes, bytes - done) });
  }
}
