import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { readChunks } from './response-chunks.ts';

function open() {
  const clock = createFakeClock();
  const body = new Readable({ read() {} });
  const calls = { chunks: 0, ends: 0 };
  const read = readChunks(body, {
    clock,
    onChunk: () => calls.chunks++,
    onEnd: () => calls.ends++,
    explain: (error) => new Error(`explained: ${(error as Error).message}`),
  });
  const next = async (): Promise<string | undefined> => (await read.chunks.next()).value?.toString();
  return { clock, body, calls, next, ...read };
}

test('a read has everything that has arrived, and the end follows', async () => {
  const { body, calls, next } = open();
  body.push('one ');
  body.push('two');
  expect(await next()).toBe('one two');
  const waiting = next();
  body.push('three');
  expect(await waiting).toBe('three');
  body.push(null);
  expect(await next()).toBeUndefined();
  expect(calls).toEqual({ chunks: 2, ends: 1 });
});

test.each([
  ['an error', new Error('reset'), 'explained: reset'],
  ['a close without an end', undefined, 'explained: the connection was closed'],
])('%s is a failure', async (_, error, message) => {
  const { body, next, calls } = open();
  const waiting = next();
  body.destroy(error);
  await expect(waiting).rejects.toThrow(message);
  expect(calls.ends).toBe(1);
});

test('leaving destroys the response', async () => {
  const { body, chunks, next } = open();
  body.push('one');
  await next();
  await chunks.return(undefined);
  expect(body.destroyed).toBe(true);
});

test('after a complete answer the rest is read, so that the connection can be used again', async () => {
  const { body, chunks, next, complete } = open();
  body.push('one');
  await next();
  complete();
  await chunks.return(undefined);
  body.push('rest');
  body.push(null);
  await once(body, 'end');
  expect(body.errored).toBeNull();
});

test('a rest that is too long, or does not end, is not read', async () => {
  const long = open();
  long.complete();
  long.body.push('one');
  await long.next();
  await long.chunks.return(undefined);
  long.body.push(Buffer.alloc(20_000));
  await once(long.body, 'close');

  const endless = open();
  endless.complete();
  endless.body.push('one');
  await endless.next();
  await endless.chunks.return(undefined);
  endless.clock.advance(999);
  expect(endless.body.destroyed).toBe(false);
  endless.clock.advance(1);
  expect(endless.body.destroyed).toBe(true);
});
