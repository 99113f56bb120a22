import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameReader, encodeFrame } from './frames.ts';

function readAll(chunks: readonly Buffer[], maxBytes = 1000) {
  const frames: unknown[] = [];
  const errors: string[] = [];
  const feed = createFrameReader({
    maxBytes,
    onFrame: (frame) => frames.push(frame),
    onInvalid: (reason) => errors.push(reason),
  });
  chunks.forEach(feed);
  return { frames, errors };
}

test('frames are read whatever the chunks of the stream', () => {
  const message = fc.record({ text: fc.string({ unit: 'binary' }), list: fc.array(fc.integer()) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat({ max: 300 })), (messages, cuts) => {
      const bytes = Buffer.from(messages.map(encodeFrame).join(''));
      const ends = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
      expect(readAll(chunks, 1e6)).toEqual({ frames: JSON.parse(JSON.stringify(messages)), errors: [] });
    }),
  );
});

test('an invalid frame is reported once, and nothing after it is read', () => {
  const { frames, errors } = readAll([Buffer.from('{"a":1}\nnonsense\n{"b":2}\nmore nonsense\n')]);
  expect(frames).toEqual([{ a: 1 }]);
  expect(errors).toHaveLength(1);
});

test('a frame over the limit is an error', () => {
  const flood = Array.from({ length: 100 }, () => Buffer.alloc(100, 'x'));
  expect(readAll(flood).errors).toEqual(['a frame of more than 1000 bytes']);
});
