import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createFrameReader } from '../../protocol/frames.ts';
import type { RunnerCommand } from '../../protocol/messages.ts';
import { createCommandWriter } from './command-writer.ts';

/** A pipe that is read only on demand. */
function createPipe() {
  const received: unknown[] = [];
  let pending: (() => void) | undefined;
  const read = createFrameReader({
    maxBytes: 2 ** 30,
    onFrame: (frame) => received.push(frame),
    onInvalid: (reason) => received.push(reason),
  });
  const pipe = new Writable({
    highWaterMark: 2 ** 14,
    write(chunk: Buffer, _encoding, done) {
      pending = () => {
        read(chunk);
        done();
      };
    },
  });
  const readAll = async (): Promise<void> => {
    while (pending) {
      const next = pending;
      pending = undefined;
      next();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { pipe, received, readAll };
}

const count = (id: number, text: string): RunnerCommand => ({ type: 'count', id, text });

test('a runner that does not read gets one piece, and the rest waits without a copy', async () => {
  const { pipe, received, readAll } = createPipe();
  const writer = createCommandWriter(pipe);
  const text = 'x'.repeat(2 ** 22);
  for (let id = 1; id <= 8; id++) writer.write(count(id, text));
  expect(pipe.writableLength).toBeLessThan(2 ** 20);
  await readAll();
  expect(received).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((id) => count(id, text)));
});

test('characters are not cut between pieces', async () => {
  const { pipe, received, readAll } = createPipe();
  const command = count(1, `a${'😀'.repeat(2 ** 19)}`);
  createCommandWriter(pipe).write(command);
  await readAll();
  expect(received).toEqual([command]);
});

test('too much waiting text is refused', () => {
  const { pipe } = createPipe();
  const writer = createCommandWriter(pipe, { maxWaiting: 1000 });
  // The first is being written, and the next one is always accepted.
  writer.write(count(1, 'x'.repeat(2 ** 20)));
  writer.write(count(2, 'x'.repeat(900)));
  expect(() => writer.write(count(3, 'x'.repeat(200)))).toThrow('please try again');
  expect(writer.withdraw(2)).toBe(true);
  writer.write(count(4, 'x'.repeat(200)));
});

test('withdrawn commands are not sent, and cancellations precede the rest', async () => {
  const { pipe, received, readAll } = createPipe();
  const writer = createCommandWriter(pipe);
  const large = count(1, 'x'.repeat(2 ** 20));
  for (const command of [large, count(2, 'b'), count(3, 'c')]) writer.write(command);
  expect(writer.withdraw(1)).toBe(false);
  expect(writer.withdraw(2)).toBe(true);
  writer.write({ type: 'cancel', id: 1 });
  await readAll();
  expect(received).toEqual([large, { type: 'cancel', id: 1 }, count(3, 'c')]);
});
