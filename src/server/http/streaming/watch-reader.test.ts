import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { watchReader } from './send-stream.ts';

function watch() {
  const clock = createFakeClock();
  const socket = { bytesWritten: 0, writableLength: 0 };
  let stalled = false;
  const stop = watchReader(socket as Socket, { clock, timeoutMs: 1000, onStall: () => (stalled = true) });
  return {
    clock,
    stop,
    write(bytes: number) {
      socket.bytesWritten += bytes;
      socket.writableLength += bytes;
    },
    read(bytes: number) {
      socket.writableLength -= bytes;
    },
    isStalled: () => stalled,
  };
}

test('a response that is not read stalls', () => {
  const { clock, write, isStalled } = watch();
  write(100);
  clock.advance(1000);
  expect(isStalled()).toBe(false);
  clock.advance(1000);
  expect(isStalled()).toBe(true);
});

test('a pause between two texts does not count', () => {
  const { clock, write, read, isStalled } = watch();
  write(100);
  read(100);
  clock.advance(1_000_000);
  expect(isStalled()).toBe(false);
});

test('a client that reads all within the time may continue for ever', () => {
  const { clock, write, read, isStalled } = watch();
  for (let round = 0; round < 100; round++) {
    write(100);
    clock.advance(900);
    read(100);
  }
  expect(isStalled()).toBe(false);
});

test('one byte now and then is not enough', () => {
  const { clock, write, read, isStalled } = watch();
  write(1000);
  for (let round = 0; round < 10; round++) {
    clock.advance(250);
    read(1);
  }
  expect(isStalled()).toBe(true);
});

test('a large response has more time', () => {
  const { clock, write, isStalled } = watch();
  write(25_600_000);
  clock.advance(100_000);
  expect(isStalled()).toBe(false);
  clock.advance(3_000);
  expect(isStalled()).toBe(true);
});

test('a watch that was ended reports nothing', () => {
  const { clock, write, stop, isStalled } = watch();
  write(100);
  stop();
  clock.advance(10_000);
  expect(isStalled()).toBe(false);
});
