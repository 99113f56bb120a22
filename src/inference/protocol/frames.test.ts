import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameReader, encodeFrame } from './frames.ts';

function readAll(chunks: readonly Buffer[], longest = 1000) {
  const frames: unknown[] = [];
  const complaints: string[] = [];
  const feed = createFrameReader({
    longest,
    onFrame: (frame) => frames.push(frame),
    onGarbage: (why) => complaints.push(why),
  });
  chunks.forEach(feed);
  return { frames, complaints };
}

test('frames survive any way of cutting the stream', () => {
  const message = fc.record({ text: fc.string({ unit: 'binary' }), list: fc.array(fc.integer()) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat({ max: 300 })), (messages, cuts) => {
      const bytes = Buffer.from(messages.map(encodeFrame).join(''));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(readAll(chunks, 1e6)).toEqual({ frames: JSON.parse(JSON.stringify(messages)), complaints: [] });
    }),
  );
});

test('garbage is reported once, and nothing after it is read', () => {
  const { frames, complaints } = readAll([Buffer.from('{"a":1}\nnonsense\n{"b":2}\nmore nonsense\n')]);
  expect(frames).toEqual([{ a: 1 }]);
  expect(complaints).toHaveLength(1);
});

test('a frame without end is given up before it fills the memory', () => {
  const flood = Array.from({ length: 100 }, () => Buffer.alloc(100, 'x'));
  expect(readAll(flood).complaints).toEqual(['a frame of more than 1000 bytes']);
});
