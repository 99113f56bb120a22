// A process that decodes one recording: `decode-program.js <longest seconds> [attached]`. Attached: it ends with its server. The
// file comes on standard input, samples leave on standard output.

import { readFileSync, writeSync } from 'node:fs';
import { lowerPriority, prioritySteps } from '../../base/process/lower-priority.ts';
import { endWithServer } from '../../inference/runner/sandbox/end-with-server.ts';
import { AudioReader, sampleRate } from './audio-reader.ts';
import { bytesPerSample, decodeExits } from './decoded-wav.ts';
import { openWhisper, type WhisperApi } from './whisper-api.ts';

const [standardInput, standardOutput] = [0, 1];
const fullScale = 0x8000;

function decode(api: WhisperApi, maxSeconds: number): void {
  const reader = new AudioReader(api, readFileSync(standardInput));
  for (let samples = reader.read(sampleRate); samples.length > 0; samples = reader.read(sampleRate)) {
    if (reader.samples > maxSeconds * sampleRate) process.exit(decodeExits.tooLong);
    writeAll(toBytes(samples));
  }
}

function toBytes(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * bytesPerSample);
  samples.forEach((sample, index) => {
    bytes.writeInt16LE(
      Math.max(-fullScale, Math.min(Math.round(sample * fullScale), fullScale - 1)),
      index * bytesPerSample,
    );
  });
  return bytes;
}

/** A pipe may take a part. */
function writeAll(bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(standardOutput, bytes, written);
}

function open(): WhisperApi {
  try {
    return openWhisper();
  } catch {
    process.exit(decodeExits.noDecoder);
  }
}

if (process.argv[3] === 'attached') endWithServer();
// A request waits for it, and the models wait for requests.
lowerPriority(prioritySteps.model);
decode(open(), Number(process.argv[2]));
