// The same tone in every kind of file, through the real decoder.

import { expect, test } from 'vitest';
import { toneWav } from '../../../test/support/speech/random-whisper.ts';
import { toneMp3, toneMp3Seconds } from '../../../test/support/speech/tone-mp3.ts';
import { silentFlac, toneFlac } from '../../../test/support/speech/write-flac.ts';
import { AudioReader, sampleRate } from './audio-reader.ts';
import { openWhisper } from './whisper-api.ts';

const api = openWhisper();
const seconds = 3;
const pieceSamples = 10_000;

function readAll(file: Buffer): Float32Array {
  const reader = new AudioReader(api, file);
  const pieces: Float32Array[] = [];
  for (let piece = reader.read(pieceSamples); piece.length > 0; piece = reader.read(pieceSamples)) pieces.push(piece);
  reader.close();
  return Float32Array.from(pieces.flatMap((piece) => [...piece]));
}

/** Hertz. */
function pitchOf(samples: Float32Array): number {
  let rises = 0;
  for (let index = 1; index < samples.length; index++)
    if ((samples[index - 1] as number) < 0 && (samples[index] as number) >= 0) rises++;
  return (rises * sampleRate) / samples.length;
}

const stereo = { rate: 44_100, channels: 2 };

test.each<readonly [name: string, file: Buffer, seconds: number]>([
  ['WAV', toneWav(seconds), seconds],
  ['WAV, 44.1 kHz, stereo', toneWav(seconds, stereo), seconds],
  ['FLAC', toneFlac(seconds), seconds],
  ['FLAC, 44.1 kHz, stereo', toneFlac(seconds, stereo), seconds],
  ['FLAC, 24 bit', toneFlac(seconds, { ...stereo, bits: 24 }), seconds],
  ['MP3, 44.1 kHz, stereo, variable bit rate, ID3', toneMp3, toneMp3Seconds],
])('a tone keeps its length and its pitch: %s', (_name, file, length) => {
  const samples = readAll(file);
  expect(samples.length / sampleRate).toBeCloseTo(length, 3);
  expect(Math.abs(pitchOf(samples) - 440) / 440).toBeLessThan(0.02);
});

test('FLAC has the samples of WAV', () => {
  const bytesOf = (file: Buffer): Buffer => Buffer.from(readAll(file).buffer);
  expect(bytesOf(toneFlac(seconds)).equals(bytesOf(toneWav(seconds)))).toBe(true);
  const large = toneFlac(seconds, { ...stereo, bits: 24 });
  expect(bytesOf(large).equals(bytesOf(toneWav(seconds, stereo)))).toBe(true);
});

test('a small file that stands for days is decoded only as far as it is read', () => {
  const file = silentFlac(5 * 24 * 3600, { saysLength: false });
  expect(file.length).toBeLessThan(2 ** 19);
  const reader = new AudioReader(api, file);
  const before = process.memoryUsage.rss();
  expect(reader.read(60 * sampleRate).some(Boolean)).toBe(false);
  expect(reader.samples).toBe(60 * sampleRate);
  // All of it would take 25 GiB.
  expect(process.memoryUsage.rss() - before).toBeLessThan(2 ** 27);
  reader.close();
});
