// Opens a projector: the part of a model that turns images or recordings into embeddings, which take the place of tokens in a
// prompt. An image becomes parts: mostly one encoded image, with tokens around it that some models expect. A recording becomes
// one such part for each half minute.

import koffi from 'koffi';
import { HearthError } from '../../../base/errors.ts';
import { setVariable } from '../../../base/process/child-program.ts';
import type { VisionApi } from './bindings/b10257.ts';
import { inThread } from './bindings/bind-function.ts';
import {
  type BitmapPointer,
  type ChunkPointer,
  type ChunksPointer,
  chunkTypes,
  type MtmdPointer,
} from './bindings/mtmd-api.ts';
import type { ModelPointer } from './bindings/pointers.ts';
import { padToSquare } from './pad-to-square.ts';
import { isRecording, recordingRate, samplesOf } from './recording.ts';
import { loadWeights, type WeightsSource } from './weights-source.ts';

export interface DecodedImage {
  readonly parts: readonly (readonly number[] | ProjectedImage)[];
  free(): void;
}

export interface ProjectedImage {
  /** Number of tokens. */
  readonly count: number;
  /** Positions of these tokens. Fewer than `count` in models that number rows and columns. */
  readonly positions: number;
  /** False: the tokens attend to each other, and must be evaluated in one pass. */
  readonly isCausal: boolean;
  /** The slow part, in another thread. One image at a time; the others wait. Must not be freed meanwhile. */
  encode(): Promise<Float32Array>;
  /** Encodes it in this thread, to see whether that works. */
  tryEncode(): void;
  /** The position of each token if the image starts at this one; in models that number rows and columns, four of each. */
  positionsFrom(start: number): Int32Array;
}

interface ProjectorOptions {
  readonly path: string;
  /** The language model. Only its description is read. */
  readonly weights: WeightsSource;
  readonly threads: number;
  /** The name of a GPU. Undefined: the CPU. */
  readonly device: string | undefined;
  /** Maximum tokens per pass. */
  readonly numBatch: number;
  /** Whether images that are not square get bars in the color of their edge. Otherwise llama.cpp makes them square. */
  readonly hasPlainBars: boolean;
}

const loadModeRead = 0;
// About the size of a photograph.
const typicalSize = { width: 1024, height: 768 };
const typicalSeconds = 30;

export function openProjector(api: VisionApi, options: ProjectorOptions) {
  const { path, weights, threads, device, numBatch, hasPlainBars } = options;
  const useGpu = device !== undefined;
  hideFfmpeg();
  const model = describeModel(api, weights);
  if (useGpu) chooseGpu(device);
  const mtmd = api.mtmdOpen(path, model, {
    ...api.mtmdDefaultParams(),
    use_gpu: useGpu,
    print_timings: false,
    n_threads: threads,
  });
  if (mtmd === null) throw new HearthError('load_failed', 'the projector does not fit the model');
  const seesImages = api.mtmdSupportsVision(mtmd);
  const hearsAudio = api.mtmdSupportsAudio(mtmd) && api.mtmdAudioRate(mtmd) === recordingRate;
  if (!seesImages && !hearsAudio)
    throw new HearthError('load_failed', 'the projector supports neither images nor recordings of 16 kHz');

  const encodeInThread = inThread(api.chunkEncode);
  let last: Promise<unknown> = Promise.resolve();
  /** `read` is called as soon as it has ended: the next image is written to the same memory. */
  const encode: EncodeChunk = (chunk, read) => {
    const result = last.then(() => encodeInThread(mtmd, chunk)).then(read);
    last = result.catch(() => {});
    return result;
  };
  const cut = (bitmap: BitmapPointer): DecodedImage => {
    const chunks = chunksOf(api, mtmd, bitmap);
    const toPart = (chunk: ChunkPointer) =>
      api.chunkType(chunk) === chunkTypes.text
        ? textTokens(api, chunk)
        : toImage(api, { mtmd, model, chunk, encode }, numBatch);
    const parts = Array.from({ length: api.chunksSize(chunks) }, (_, index) => toPart(api.chunkAt(chunks, index)));
    return { parts, free: () => api.chunksFree(chunks) };
  };

  return {
    /** Tokens of a typical image. Exact if the model gives all images the same size. */
    typicalTokens: tryTypical(api, seesImages ? typicalImage(api) : typicalRecording(api), cut, useGpu),
    /** Decodes the file and resizes the image for the model. Throws `bad_request` if that fails. */
    read(file: Uint8Array): DecodedImage {
      const isAudio = isRecording(file);
      if (isAudio && !hearsAudio) throw new HearthError('bad_request', 'the model does not support audio');
      if (!isAudio && !seesImages) throw new HearthError('bad_request', 'the model does not support images');
      const bitmap = isAudio ? readSamples(api, file) : readImage(api, mtmd, file, hasPlainBars);
      try {
        return cut(bitmap);
      } finally {
        api.bitmapFree(bitmap);
      }
    },
  };
}

export type Projector = ReturnType<typeof openProjector>;

/** The model without its weights: mtmd needs its vocabulary and the width of its embeddings. */
function describeModel(api: VisionApi, weights: WeightsSource): ModelPointer {
  const params = {
    ...api.modelDefaultParams(),
    no_alloc: true,
    // Only this way to load a file allows it.
    load_mode: loadModeRead,
    use_extra_bufts: false,
    n_gpu_layers: 0,
  };
  // The log has a line for every tensor.
  const model = api.captureLog(
    () => {},
    () => loadWeights(api, weights, params),
  );
  if (model === null)
    throw new HearthError('load_failed', 'the part of the engine that encodes images cannot read the model');
  return model;
}

// mtmd passes files that are not images to ffprobe, if there is one. No file from outside may start a program.
function hideFfmpeg(): void {
  setVariable('PATH', '/nonexistent');
}

/** mtmd takes the first GPU if it is not told. */
function chooseGpu(name: string): void {
  setVariable('MTMD_BACKEND_DEVICE', name);
}

function readSamples(api: VisionApi, file: Uint8Array): BitmapPointer {
  const samples = samplesOf(file);
  return api.bitmapFromSamples(samples.length, samples);
}

function readImage(api: VisionApi, mtmd: MtmdPointer, file: Uint8Array, hasPlainBars: boolean): BitmapPointer {
  const decoded = decodeFile(api, mtmd, file);
  return hasPlainBars ? makeSquare(api, decoded) : decoded;
}

function decodeFile(api: VisionApi, mtmd: MtmdPointer, file: Uint8Array): BitmapPointer {
  const { bitmap, video } = api.bitmapFromFile(mtmd, file, file.length, false);
  if (video !== null) api.videoFree(video);
  if (bitmap !== null && video === null && !api.bitmapIsAudio(bitmap)) return bitmap;
  if (bitmap !== null) api.bitmapFree(bitmap);
  throw new HearthError('bad_request', 'the image cannot be read: it is damaged');
}

/** Frees the bitmap if it returns another one. */
function makeSquare(api: VisionApi, bitmap: BitmapPointer): BitmapPointer {
  const [width, height] = [api.bitmapWidth(bitmap), api.bitmapHeight(bitmap)];
  if (width === height) return bitmap;
  const rgb = new Uint8Array(koffi.view(api.bitmapPixels(bitmap), width * height * 3));
  const square = padToSquare({ width, height, rgb });
  api.bitmapFree(bitmap);
  return api.bitmapFromPixels(square.width, square.height, square.rgb);
}

function chunksOf(api: VisionApi, mtmd: MtmdPointer, bitmap: BitmapPointer): ChunksPointer {
  const chunks = api.chunksNew();
  // Only the marker: text is tokenized elsewhere, so that a marker in a prompt has no effect.
  const text = api.mtmdMarker();
  const input = { text, text_len: Buffer.byteLength(text), add_special: false, parse_special: true };
  if (api.chunksFromText(mtmd, chunks, input, BigUint64Array.of(bitmap), 1) === 0) return chunks;
  api.chunksFree(chunks);
  throw new HearthError('bad_request', 'the image or the recording cannot be prepared for the model');
}

function textTokens(api: VisionApi, chunk: ChunkPointer): number[] {
  const count: [number] = [0];
  const address = api.chunkTextTokens(chunk, count);
  return count[0] === 0 ? [] : [...new Int32Array(koffi.view(address, count[0] * Int32Array.BYTES_PER_ELEMENT))];
}

type EncodeChunk = <Result>(chunk: ChunkPointer, read: (status: number) => Result) => Promise<Result>;

interface ImageSource {
  readonly mtmd: MtmdPointer;
  readonly model: ModelPointer;
  readonly chunk: ChunkPointer;
  readonly encode: EncodeChunk;
}

function toImage(api: VisionApi, { mtmd, model, chunk, encode }: ImageSource, numBatch: number): ProjectedImage {
  const count = api.chunkTokenCount(chunk);
  const isCausal = !api.mtmdIsNonCausal(mtmd, chunk);
  const isAudio = api.chunkType(chunk) === chunkTypes.audio;
  // llama.cpp ends the process if these tokens exceed a batch.
  if (count > numBatch && !isCausal) {
    throw new HearthError('bad_request', `the image needs a batch of ${count} tokens, but num_batch is ${numBatch}`);
  }
  return {
    count,
    positions: api.chunkPositions(chunk),
    isCausal,
    encode: () =>
      encode(chunk, (status) => {
        checkEncoded(status);
        const bytes = count * api.modelInputWidth(model) * Float32Array.BYTES_PER_ELEMENT;
        return new Float32Array(koffi.view(api.encoded(mtmd), bytes)).slice();
      }),
    tryEncode: () => checkEncoded(api.chunkEncode(mtmd, chunk)),
    positionsFrom(start) {
      if (!api.mtmdUsesMrope(mtmd)) return Int32Array.from({ length: count }, (_, index) => start + index);
      if (isAudio) return linePositions(start, count);
      const positions = new Uint32Array(numbersPerPosition * count);
      api.imagePositions(api.chunkImage(chunk), start, positions);
      return byAxis(positions, count);
    },
  };
}

function checkEncoded(status: number): void {
  if (status !== 0) throw new HearthError('request_failed', 'the image could not be encoded');
}

const numbersPerPosition = 4;
// mtmd has the column before the row, llama_decode has it after.
const axisOrder = [0, 2, 1, 3];

/** A recording has no rows and columns: all of its numbers are the same but the last one, which is not used. */
export function linePositions(start: number, count: number): Int32Array {
  return Int32Array.from({ length: numbersPerPosition * count }, (_, index) =>
    index < (numbersPerPosition - 1) * count ? start + (index % count) : 0,
  );
}

/** From the four positions of each token to the first ones of all tokens, the second ones, and so on. */
export function byAxis(positions: Uint32Array, count: number): Int32Array {
  const ordered = new Int32Array(numbersPerPosition * count);
  for (const [place, axis] of axisOrder.entries())
    for (let token = 0; token < count; token++)
      ordered[place * count + token] = positions[numbersPerPosition * token + axis] as number;
  return ordered;
}

function typicalImage(api: VisionApi): BitmapPointer {
  const { width, height } = typicalSize;
  return api.bitmapFromPixels(width, height, new Uint8Array(width * height * 3));
}

function typicalRecording(api: VisionApi): BitmapPointer {
  const samples = new Float32Array(typicalSeconds * recordingRate);
  return api.bitmapFromSamples(samples.length, samples);
}

/** Returns the tokens of a black image, or of silence. On a GPU it also encodes it, to see whether that works. */
function tryTypical(
  api: VisionApi,
  bitmap: BitmapPointer,
  cut: (bitmap: BitmapPointer) => DecodedImage,
  encodes: boolean,
): number {
  const { parts, free } = cut(bitmap);
  const image = parts.find((part) => 'count' in part);
  if (encodes) image?.tryEncode();
  const tokens = parts.reduce((sum, part) => sum + ('count' in part ? part.count : part.length), 0);
  free();
  api.bitmapFree(bitmap);
  return tokens;
}
