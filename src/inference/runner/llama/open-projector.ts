// Opens a projector: the part of a vision model that turns images into embeddings, which take the place of tokens in a
// prompt. An image becomes parts: mostly one encoded image, with tokens around it that some models expect.

import koffi from 'koffi';
import { HearthError } from '../../../base/errors.ts';
import type { LlamaApi } from './bindings/llama-api.ts';
import {
  type BitmapPointer,
  type ChunkPointer,
  type ChunksPointer,
  chunkTypes,
  type MtmdApi,
  type MtmdPointer,
} from './bindings/mtmd-api.ts';
import type { ContextPointer, ModelPointer } from './bindings/pointers.ts';

export interface Projector {
  /** Tokens of a typical image. Exact if the model gives all images the same size. */
  readonly typicalTokens: number;
  /** Decodes the file and resizes the image for the model. Throws `bad_request` if that fails. */
  read(file: Uint8Array): DecodedImage;
}

export interface DecodedImage {
  readonly parts: readonly (readonly number[] | ProjectedImage)[];
  free(): void;
}

export interface ProjectedImage {
  /** Number of tokens. */
  readonly count: number;
  /** Positions of these tokens. Fewer than `count` in models that number rows and columns. */
  readonly positions: number;
  /** The slow part. Its result is all that `decode` needs. */
  encode(): Float32Array;
  /** Appends it to a sequence. `full`: the KV cache has no room. */
  decode(encoded: Float32Array, location: { readonly sequence: number; readonly position: number }): 'done' | 'full';
}

export interface ProjectorOptions {
  readonly path: string;
  readonly model: ModelPointer;
  readonly context: ContextPointer;
  readonly threads: number;
  /** The name of a GPU. Undefined: the CPU. */
  readonly device: string | undefined;
  /** Maximum tokens per pass. */
  readonly numBatch: number;
}

const decodeDone = 0;
const decodeFull = 1;
// About the size of a photograph.
const typicalSize = { width: 1024, height: 768 };

export function openProjector(api: LlamaApi & MtmdApi, options: ProjectorOptions): Projector {
  const { path, model, threads, device } = options;
  const useGpu = device !== undefined;
  hideFfmpeg();
  if (useGpu) chooseGpu(device);
  const mtmd = api.mtmdOpen(path, model, {
    ...api.mtmdDefaultParams(),
    use_gpu: useGpu,
    print_timings: false,
    n_threads: threads,
  });
  if (mtmd === null) throw new HearthError('load_failed', 'the projector does not fit the model');
  if (!api.mtmdSupportsVision(mtmd)) throw new HearthError('load_failed', 'the projector does not support images');

  const cut = (bitmap: BitmapPointer): DecodedImage => {
    const chunks = chunksOf(api, mtmd, bitmap);
    const toPart = (chunk: ChunkPointer) =>
      api.chunkType(chunk) === chunkTypes.text ? textTokens(api, chunk) : toImage(api, mtmd, chunk, options);
    const parts = Array.from({ length: api.chunksSize(chunks) }, (_, index) => toPart(api.chunkAt(chunks, index)));
    return { parts, free: () => api.chunksFree(chunks) };
  };

  return {
    typicalTokens: tryTypical(api, cut, useGpu),
    read(file) {
      const bitmap = decodeFile(api, mtmd, file);
      try {
        return cut(bitmap);
      } finally {
        api.bitmapFree(bitmap);
      }
    },
  };
}

// mtmd passes files that are not images to ffprobe, if there is one. No file from outside may start a program.
function hideFfmpeg(): void {
  // biome-ignore lint/style/noProcessEnv: this process reads no setting; it keeps mtmd from starting programs.
  process.env['PATH'] = '/nonexistent';
}

/** mtmd takes the first GPU if it is not told. */
function chooseGpu(name: string): void {
  // biome-ignore lint/style/noProcessEnv: this process reads no setting; mtmd has no other way to choose a GPU.
  process.env['MTMD_BACKEND_DEVICE'] = name;
}

function decodeFile(api: MtmdApi, mtmd: MtmdPointer, file: Uint8Array): BitmapPointer {
  const { bitmap, video } = api.bitmapFromFile(mtmd, file, file.length, false);
  if (video !== null) api.videoFree(video);
  if (bitmap !== null && video === null && !api.bitmapIsAudio(bitmap)) return bitmap;
  if (bitmap !== null) api.bitmapFree(bitmap);
  throw new HearthError('bad_request', 'the image cannot be read: it is damaged');
}

function chunksOf(api: MtmdApi, mtmd: MtmdPointer, bitmap: BitmapPointer): ChunksPointer {
  const chunks = api.chunksNew();
  // Only the marker: text is tokenized elsewhere, so that a marker in a prompt has no effect.
  const text = api.mtmdMarker();
  const input = { text, text_len: Buffer.byteLength(text), add_special: false, parse_special: true };
  if (api.chunksFromText(mtmd, chunks, input, BigUint64Array.of(bitmap), 1) === 0) return chunks;
  api.chunksFree(chunks);
  throw new HearthError('bad_request', 'the image cannot be resized for the model');
}

function textTokens(api: MtmdApi, chunk: ChunkPointer): number[] {
  const count: [number] = [0];
  const address = api.chunkTextTokens(chunk, count);
  return count[0] === 0 ? [] : [...new Int32Array(koffi.view(address, count[0] * Int32Array.BYTES_PER_ELEMENT))];
}

function toImage(
  api: LlamaApi & MtmdApi,
  mtmd: MtmdPointer,
  chunk: ChunkPointer,
  { model, context, numBatch }: ProjectorOptions,
): ProjectedImage {
  const count = api.chunkTokenCount(chunk);
  // llama.cpp ends the process if these tokens exceed a batch.
  if (count > numBatch && api.mtmdIsNonCausal(mtmd, chunk)) {
    throw new HearthError('bad_request', `the image needs a batch of ${count} tokens, but num_batch is ${numBatch}`);
  }
  return {
    count,
    positions: api.chunkPositions(chunk),
    encode() {
      if (api.chunkEncode(mtmd, chunk) !== 0) throw new HearthError('request_failed', 'the image could not be encoded');
      const bytes = count * api.modelInputWidth(model) * Float32Array.BYTES_PER_ELEMENT;
      // A copy: the next image is written to the same memory.
      return new Float32Array(koffi.view(api.encoded(mtmd), bytes)).slice();
    },
    decode(encoded, { sequence, position }) {
      const code = api.chunkDecode(mtmd, context, chunk, encoded, position, sequence, numBatch, [0], null, null);
      if (code === decodeDone) return 'done';
      if (code === decodeFull) return 'full';
      throw new Error(`mtmd_helper_decode_image_chunk returned ${code} for ${count} tokens`);
    },
  };
}

/** Reads a black image and returns its tokens. On a GPU it also encodes it, to see whether that works. */
function tryTypical(api: MtmdApi, cut: (bitmap: BitmapPointer) => DecodedImage, encodes: boolean): number {
  const { width, height } = typicalSize;
  const bitmap = api.bitmapFromPixels(width, height, new Uint8Array(width * height * 3));
  const { parts, free } = cut(bitmap);
  const image = parts.find((part) => 'count' in part);
  if (encodes) image?.encode();
  const tokens = parts.reduce((sum, part) => sum + ('count' in part ? part.count : part.length), 0);
  free();
  api.bitmapFree(bitmap);
  return tokens;
}
