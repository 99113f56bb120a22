import { expect, test } from 'vitest';
import { createReceiveBuffers } from './receive-buffers.ts';

/** A socket that has read so many bytes. */
function read(buffers: ReturnType<typeof createReceiveBuffers>, count: number): Buffer {
  const { buffer, callback } = buffers.onread;
  const block = (buffer as () => Uint8Array)();
  const pushed: Buffer[] = [];
  callback.call({ push: (chunk: Buffer) => pushed.push(chunk) } as never, count, block);
  return pushed[0] as Buffer;
}
const takenBlock = (buffers: ReturnType<typeof createReceiveBuffers>): ArrayBufferLike =>
  (buffers.onread.buffer as () => Uint8Array)().buffer;

test('a block is used again when all that came in it was given back, in whatever pieces', () => {
  const buffers = createReceiveBuffers();
  const chunk = read(buffers, 1000);
  expect(chunk).toHaveLength(1000);
  buffers.recycle(chunk.subarray(0, 400));
  expect(takenBlock(buffers)).not.toBe(chunk.buffer);
  buffers.recycle(chunk.subarray(400));
  expect(takenBlock(buffers)).toBe(chunk.buffer);
});

test('a block of which something is kept is never used again, nor one that is not ours', () => {
  const buffers = createReceiveBuffers();
  const chunk = read(buffers, 1000);
  buffers.recycle(chunk.subarray(100));
  buffers.recycle(Buffer.alloc(5));
  for (let index = 0; index < 10; index++) expect(takenBlock(buffers)).not.toBe(chunk.buffer);
});
