// Decodes an audio file piece by piece, so that its length does not matter for memory: mono, 16,000 samples per second.

import { badRequest } from '../../base/errors.ts';
import type { WhisperApi } from './whisper-api.ts';

export const sampleRate = 16_000;
const formatF32 = 5;
// Larger than the struct of the decoder.
const decoderBytes = 2 ** 16;

export class AudioReader {
  readonly #api: WhisperApi;
  /** The decoder refers to it. */
  readonly #file: Uint8Array;
  readonly #decoder = Buffer.alloc(decoderBytes);
  readonly #read = new BigUint64Array(1);
  #isOpen = true;
  /** Samples so far. */
  samples = 0;

  /** Throws `bad_request`. */
  constructor(api: WhisperApi, file: Uint8Array) {
    this.#api = api;
    this.#file = file;
    const config = Buffer.from(api.decoderConfig(formatF32, 1, sampleRate).bytes);
    if (api.decoderOpen(file, this.#file.length, config, this.#decoder) !== 0)
      throw badRequest('the audio file cannot be decoded');
  }

  /** Fewer samples than asked for: the file has ended. */
  read(count: number): Float32Array {
    if (!this.#isOpen || count <= 0) return new Float32Array(0);
    const samples = new Float32Array(count);
    this.#read[0] = 0n;
    // A file that is damaged further on ends there.
    this.#api.decoderRead(this.#decoder, samples, count, this.#read);
    const got = Math.min(Number(this.#read[0]), count);
    this.samples += got;
    return samples.subarray(0, got);
  }

  close(): void {
    if (this.#isOpen) this.#api.decoderClose(this.#decoder);
    this.#isOpen = false;
  }
}
