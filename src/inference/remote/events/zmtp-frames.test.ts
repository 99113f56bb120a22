import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxEventMessageBytes, maxMessageParts } from './limits.ts';
import { encodeGreeting, encodeMessage, encodeReady, FrameReader } from './zmtp-frames.ts';

const start = Buffer.concat([encodeGreeting(), encodeReady('PUB')]);

function readAll(bytes: Buffer, pieceLength: number): string[][] {
  const reader = new FrameReader();
  const messages: string[][] = [];
  for (let at = 0; at < bytes.length; at += pieceLength)
    for (const parts of reader.push(bytes.subarray(at, at + pieceLength)))
      messages.push(parts.map((part) => part.toString('latin1')));
  return messages;
}

test('messages are read as they were written, whatever the pieces are', () => {
  const message = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 700 }), { minLength: 1, maxLength: 4 });
  const property = fc.property(
    fc.array(message, { maxLength: 5 }),
    fc.integer({ min: 1, max: 900 }),
    (sent, length) => {
      const encoded = sent.map((parts) => encodeMessage(parts.map((part) => Buffer.from(part, 'latin1'))));
      expect(readAll(Buffer.concat([start, ...encoded]), length)).toEqual(sent);
    },
  );
  fc.assert(property, { numRuns: 50 });
});

test.each([
  ['no ZMTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n'.padEnd(64, '.'))],
  ['an older version', Buffer.from(encodeGreeting()).fill(1, 10, 11)],
])('%s is refused', (_, bytes) => {
  expect(() => readAll(bytes, 64)).toThrow('does not speak ZMTP 3');
});

test('a side that wants a login is refused', () => {
  const greeting = encodeGreeting();
  greeting.write('CURVE', 12);
  expect(() => readAll(greeting, 64)).toThrow('wants a login');
});

test('a message is too long by one frame, by all of them, or by their number', () => {
  const head = Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(maxEventMessageBytes + 1), 1);
  const half = Buffer.alloc(maxEventMessageBytes / 2);
  for (const bytes of [
    head,
    encodeMessage([half, half, Buffer.alloc(1)]),
    encodeMessage(Array(maxMessageParts + 1).fill(Buffer.alloc(0))),
  ])
    expect(() => readAll(Buffer.concat([start, bytes]), 65_536)).toThrow('a message is too long');
});
