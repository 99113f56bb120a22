import { expect, test } from 'vitest';
import { isRecording, samplesOf } from './recording.ts';

const header = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(28)]);

test('WAV is a recording, and images are none', () => {
  expect(isRecording(header)).toBe(true);
  for (const start of ['RIFF\0\0\0\0WEBP', '\x89PNG', ''])
    expect(isRecording(Buffer.from(start, 'latin1'))).toBe(false);
});

test('samples are from -1 to 1', () => {
  const samples = Buffer.from(Int16Array.of(0, 0x4000, -0x8000).buffer);
  // At any place in memory, and with half a sample at the end.
  const file = Buffer.concat([Buffer.alloc(1), header, samples, Buffer.alloc(1)]).subarray(1);
  expect([...samplesOf(file)]).toEqual([0, 0.5, -1]);
  expect(samplesOf(header)).toHaveLength(0);
});
