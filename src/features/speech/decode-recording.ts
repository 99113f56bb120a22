// Decodes a recording in a process of its own, which ends with it. The decoder is native code, and files come from anywhere.

import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { badRequest, HearthError } from '../../base/errors.ts';
import { type ChildSettings, spawnChild } from '../../base/process/spawn-child.ts';
import type { Clock } from '../../base/time/clock.ts';
import { audioTooLong } from '../../formats/speech/check-audio.ts';
import { sampleRate } from './audio-reader.ts';
import { bytesPerSample, decodeExits, writeWavHeader } from './decoded-wav.ts';

interface DecodeProgram {
  readonly script: string;
  readonly childSettings: ChildSettings;
  readonly clock: Clock;
}

const maxMilliseconds = 30_000;
const maxWaiting = 64;

/** One recording at a time: a process uses a processor, and the memory of what it has decoded. */
export class RecordingDecoder {
  readonly #program: DecodeProgram;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(program: DecodeProgram) {
    this.#program = program;
  }

  /** Resolves with WAV: mono, 16,000 samples per second, 16 bits. Rejects with `bad_request`, or with `busy`. */
  async decode(file: Buffer, maxSeconds: number): Promise<Buffer> {
    if (this.#waiting >= maxWaiting) throw new HearthError('busy', 'server busy: too many recordings are waiting');
    this.#waiting++;
    const decoded = this.#last.then(() => decodeRecording(this.#program, file, maxSeconds));
    this.#last = decoded.catch(() => {});
    try {
      return await decoded;
    } finally {
      this.#waiting--;
    }
  }
}

async function decodeRecording(
  { script, childSettings, clock }: DecodeProgram,
  file: Buffer,
  maxSeconds: number,
): Promise<Buffer> {
  const child = spawnChild(childSettings, {
    script,
    args: [String(maxSeconds), 'attached'],
    read: [],
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const maxBytes = maxSeconds * sampleRate * bytesPerSample;
  const chunks: Buffer[] = [];
  let received = 0;
  (child.stdout as Readable).on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  // A process that has ended does not read.
  (child.stdin as Writable).on('error', () => {}).end(file);
  let isLate = false;
  const timer = clock.after(maxMilliseconds, () => {
    isLate = true;
    child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  timer.cancel();
  if (isLate) throw badRequest('the recording takes too long to decode');
  if (code === decodeExits.tooLong || received > maxBytes) throw audioTooLong(maxSeconds);
  if (code === decodeExits.noDecoder) throw new HearthError('unsupported', 'the decoder of audio cannot be loaded');
  if (code !== 0) throw badRequest('the recording cannot be decoded');
  if (received === 0) throw badRequest('the recording has no audio');
  return Buffer.concat([writeWavHeader(received, sampleRate), ...chunks]);
}
