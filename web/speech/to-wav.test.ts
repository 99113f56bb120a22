import { expect, test } from 'vitest';
import { toWav } from './to-wav.ts';

const textAt = (file: Uint8Array, start: number, end: number): string => String.fromCharCode(...file.slice(start, end));

test('a file has a header and its samples', () => {
  const file = toWav(Float32Array.of(0, 0.5, -0.5), 16_000);
  const view = new DataView(file.buffer);
  expect([textAt(file, 0, 4), textAt(file, 8, 16), textAt(file, 36, 40)]).toEqual(['RIFF', 'WAVEfmt ', 'data']);
  expect([file.length, view.getUint32(4, true), view.getUint32(40, true)]).toEqual([50, 42, 6]);
  // PCM, one channel, its samples and bytes per second.
  expect([20, 22].map((position) => view.getUint16(position, true))).toEqual([1, 1]);
  expect([24, 28].map((position) => view.getUint32(position, true))).toEqual([16_000, 32_000]);
  expect([44, 46, 48].map((position) => view.getInt16(position, true))).toEqual([0, 16_384, -16_383]);
});

test('samples that are too loud are cut off', () => {
  const view = new DataView(toWav(Float32Array.of(3, -3), 16_000).buffer);
  expect([view.getInt16(44, true), view.getInt16(46, true)]).toEqual([32_767, -32_767]);
});
