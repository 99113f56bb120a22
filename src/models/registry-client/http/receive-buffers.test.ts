import { expect, test } from 'vitest';
import { createReceiveBuffers } from './receive-buffers.ts';

/** Simulates a socket that has read `count` bytes. */
function read(buffers: ReturnType<typeof createReceiveBuffers>, count: number): Buffer {
  const { buffer, callback } = buffers.onread;
  const block = (buffer as () => Uint8Array)();
  const pushed: Buffer[] = [];
  callback.call({ push: (chunk: Buffer) => pushed.push(chunk) } as never, count, block);
  return pushed[0] as Buffer;
}
const nextBlock = (buffers: ReturnType<typeof createReceiveBuffers>): ArrayBufferLike =>
  (buffers.onread.buffer as () => Uint8Array)().buffer;

test('a block is reused when all of its bytes are recycled, in any number of pieces', () => {
  const buffers = createReceiveBuffers();
  const chunk = read(buffers, 1000);
  expect(chunk).toHaveLength(1000);
  buffers.recycle(chunk.subarray(0, 400));
  expect(nextBlock(buffers)).not.toBe(chunk.buffer);
  buffers.recycle(chunk.subarray(400));
  expect(nextBlock(buffers)).toBe(chunk.buffer);
});

test('partly recycled blocks and foreign buffers are never reused', () => {
  const buffers = createReceiveBuffers();
  const chunk = read(buffers, 1000);
  buffers.recycle(chunk.subarray(100));
  buffers.recycle(Buffer.alloc(5));
  for (let index = 0; index < 10; index++) expect(nextBlock(buffers)).not.toBe(chunk.buffer);
});
