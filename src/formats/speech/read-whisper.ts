// Strict reader of the weights of Whisper models in the format of whisper.cpp. The loader there trusts the file, so all sizes
// are checked here. Every byte may come from anybody.

import type { FileHandle } from 'node:fs/promises';
import { HearthError } from '../../base/errors.ts';

export interface WhisperFile {
  readonly isMultilingual: boolean;
  /** The number of all parameters. */
  readonly parameters: number;
  /** Such as `F16` or `Q5_1`. */
  readonly quantization: string;
}

interface FileSource {
  readonly handle: FileHandle;
  readonly size: number;
}

const magic = 0x67676d6c;
const headerBytes = 4 + 11 * 4 + 8;
const limits = {
  vocabulary: 60_000,
  tokenBytes: 1024,
  width: 4096,
  layers: 128,
  context: 4096,
  tensors: 8192,
  nameBytes: 128,
};
const filterSizes = { mels: [80, 128], spectrum: 201 };
const multilingualVocabulary = 51_865;
/** Bytes and values of a block of each type, by its number in ggml. */
const types: Readonly<Record<number, readonly [bytes: number, values: number, name: string]>> = {
  0: [4, 1, 'F32'],
  1: [2, 1, 'F16'],
  2: [18, 32, 'Q4_0'],
  3: [20, 32, 'Q4_1'],
  6: [22, 32, 'Q5_0'],
  7: [24, 32, 'Q5_1'],
  8: [34, 32, 'Q8_0'],
};

export function startsAsWhisper(start: Buffer): boolean {
  return start.length >= 4 && start.readUInt32LE(0) === magic;
}

/** Throws `bad_request`. */
export async function readWhisper(source: FileSource): Promise<WhisperFile> {
  const reader = new Reader(source);
  const header = await reader.read(headerBytes);
  if (!startsAsWhisper(header)) throw damaged('it has another format');
  const sizes = Array.from({ length: 13 }, (_, index) => header.readInt32LE(4 + index * 4));
  const [vocabulary = 0, audioContext = 0, audioWidth = 0, audioHeads = 0, audioLayers = 0, ...rest] = sizes;
  const [
    textContext = 0,
    textWidth = 0,
    textHeads = 0,
    textLayers = 0,
    mels = 0,
    type = 0,
    filterMels = 0,
    spectrum = 0,
  ] = rest;
  check('vocabulary', vocabulary, limits.vocabulary);
  for (const context of [audioContext, textContext]) check('context', context, limits.context);
  for (const width of [audioWidth, textWidth]) check('width', width, limits.width);
  for (const layers of [audioLayers, textLayers]) check('number of layers', layers, limits.layers);
  for (const [heads, width] of [
    [audioHeads, audioWidth],
    [textHeads, textWidth],
  ] as const)
    if (heads < 1 || width % heads !== 0) throw damaged('its heads do not divide its width');
  if (type === 0) throw damaged('whisper.cpp cannot compute with F32 weights; convert them to F16');
  if (!filterSizes.mels.includes(mels) || filterMels !== mels || spectrum !== filterSizes.spectrum)
    throw damaged('its filters have another size');
  reader.skip(mels * spectrum * 4);
  await skipTokens(reader, vocabulary);
  const { parameters, quantization } = await sumTensors(reader);
  return { isMultilingual: vocabulary >= multilingualVocabulary, parameters, quantization };
}

async function skipTokens(reader: Reader, vocabulary: number): Promise<void> {
  const count = (await reader.read(4)).readUInt32LE(0);
  if (count > vocabulary) throw damaged('its vocabulary is too large');
  for (let index = 0; index < count; index++) {
    const length = (await reader.read(4)).readUInt32LE(0);
    if (length > limits.tokenBytes) throw damaged('a token is too long');
    reader.skip(length);
  }
}

async function sumTensors(reader: Reader): Promise<Pick<WhisperFile, 'parameters' | 'quantization'>> {
  const valuesOf = new Map<string, number>();
  for (let count = 0; !reader.isAtEnd; count++) {
    if (count >= limits.tensors) throw damaged('it has too many tensors');
    const head = await reader.read(12);
    const [dimensions = 0, nameBytes = 0, type = 0] = [0, 4, 8].map((offset) => head.readInt32LE(offset));
    const row = types[type];
    if (dimensions < 1 || dimensions > 4 || nameBytes < 1 || nameBytes > limits.nameBytes || row === undefined)
      throw damaged('a tensor has no valid description');
    const shape = await reader.read(dimensions * 4);
    let values = 1;
    for (let index = 0; index < dimensions; index++) values *= shape.readInt32LE(index * 4);
    const [blockBytes, blockValues, name] = row;
    if (!Number.isSafeInteger(values) || values < 1 || shape.readInt32LE(0) % blockValues !== 0)
      throw damaged('a tensor has no valid size');
    reader.skip(nameBytes + (values / blockValues) * blockBytes);
    valuesOf.set(name, (valuesOf.get(name) ?? 0) + values);
  }
  const [largest] = [...valuesOf].toSorted(([, left], [, right]) => right - left);
  const parameters = [...valuesOf.values()].reduce((sum, values) => sum + values, 0);
  return { parameters, quantization: largest?.[0] ?? '' };
}

function check(what: string, value: number, most: number): void {
  if (value < 1 || value > most) throw damaged(`its ${what} is ${value}`);
}

function damaged(reason: string): HearthError {
  return new HearthError('bad_request', `the file is no valid Whisper model: ${reason}`);
}

const windowBytes = 2 ** 18;

/** Reads forward, a large piece at a time. */
class Reader {
  readonly #source: FileSource;
  #window = Buffer.alloc(0);
  #windowStart = 0;
  #position = 0;

  constructor(source: FileSource) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#source.size;
  }

  skip(bytes: number): void {
    this.#position += bytes;
    if (this.#position > this.#source.size) throw damaged('it ends too early');
  }

  async read(bytes: number): Promise<Buffer> {
    const start = this.#position;
    this.skip(bytes);
    if (start < this.#windowStart || start + bytes > this.#windowStart + this.#window.length) {
      const { buffer, bytesRead } = await this.#source.handle.read(Buffer.alloc(windowBytes), 0, windowBytes, start);
      this.#window = buffer.subarray(0, bytesRead);
      this.#windowStart = start;
      if (bytesRead < bytes) throw damaged('it ends too early');
    }
    return this.#window.subarray(start - this.#windowStart, start - this.#windowStart + bytes);
  }
}
