import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createResponseBody } from './response-body.ts';

function open() {
  const clock = createFakeClock();
  const calls: string[] = [];
  const body = createResponseBody({
    clock,
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    abort: () => calls.push('abort'),
    onEnd: () => calls.push('end'),
  });
  const add = (text: string): void => body.add(Buffer.from(text));
  const next = async (): Promise<string | undefined> => (await body.chunks.next()).value?.toString();
  const leave = async (): Promise<void> => void (await body.chunks.return?.());
  return { ...body, clock, calls, add, next, leave };
}

/** Whether the promise has a result already. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const waiting = Symbol('waiting');
  return (await Promise.race([promise, Promise.resolve(waiting)])) !== waiting;
}

test('a read has everything that has arrived, and the end follows', async () => {
  const { add, end, calls, next } = open();
  add('one ');
  add('two');
  expect(await next()).toBe('one two');
  const waiting = next();
  add('three');
  expect(await waiting).toBe('three');
  end();
  expect(await next()).toBeUndefined();
  expect(await next()).toBeUndefined();
  expect(calls).toEqual(['end']);
});

test('a failure comes after what has arrived', async () => {
  const { add, fail, next, calls } = open();
  add('one');
  fail(new Error('reset'));
  expect(await next()).toBe('one');
  await expect(next()).rejects.toThrow('reset');
  expect(calls).toEqual(['end']);
});

test('a read that collects waits for more', async () => {
  const { add, collect, clock, next } = open();
  add('one');
  expect(await next()).toBe('one');
  collect(25);
  const waiting = next();
  add('two ');
  add('three');
  clock.advance(24);
  expect(await isSettled(waiting)).toBe(false);
  clock.advance(1);
  expect(await waiting).toBe('two three');
});

test.each(['end', 'fail', 'much'] as const)('a read that collects does not wait after: %s', async (how) => {
  const { collect, next, ...body } = open();
  collect(25);
  const waiting = next();
  body.add('two');
  expect(await isSettled(waiting)).toBe(false);
  if (how === 'end') body.end();
  else if (how === 'fail') body.fail(new Error('reset'));
  else body.add('x'.repeat(64 * 1024));
  expect(await waiting).toMatch(/^two/);
});

test('a reader that does not read pauses the connection', async () => {
  const { add, calls, next } = open();
  for (let count = 0; count < 3; count++) add('x'.repeat(32 * 1024));
  expect(calls).toEqual(['pause']);
  expect((await next())?.length).toBe(96 * 1024);
  expect(calls).toEqual(['pause', 'resume']);
});

test('leaving closes the connection and ends a read', async () => {
  const { leave, next, calls } = open();
  const waiting = next();
  await leave();
  expect(await waiting).toBeUndefined();
  await leave();
  expect(calls).toEqual(['end', 'abort']);
});

test('after a complete answer the rest is read, so that the connection can be used again', async () => {
  const { add, end, next, complete, leave, clock, calls } = open();
  add('one');
  await next();
  complete();
  await leave();
  add('rest');
  end();
  clock.advance(1000);
  expect(calls).toEqual(['end']);
});

test('the rest of a complete answer is read, also from a connection that was paused', async () => {
  const { add, complete, leave, calls } = open();
  add('x'.repeat(64 * 1024));
  complete();
  await leave();
  expect(calls).toEqual(['pause', 'end', 'resume']);
});

test('a rest that is too long, or does not end, is not read', async () => {
  const long = open();
  long.complete();
  await long.leave();
  long.add('x'.repeat(20_000));
  expect(long.calls).toEqual(['end', 'abort']);

  const endless = open();
  endless.complete();
  await endless.leave();
  endless.clock.advance(999);
  expect(endless.calls).toEqual(['end']);
  endless.clock.advance(1);
  expect(endless.calls).toEqual(['end', 'abort']);
});
