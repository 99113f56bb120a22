import { expect, test } from 'vitest';
import { onClosed, openLater, pipe, type Step } from './pipe.ts';

async function* numbers(count: number, log: string[] = []): AsyncGenerator<number> {
  try {
    for (let number = 1; number <= count; number++) yield number;
    log.push('source ended');
  } finally {
    log.push('source closed');
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

interface Behavior {
  readonly copies?: number;
  readonly endsAt?: number;
  readonly failsAt?: number;
  readonly last?: string;
}

/** Adds its name to items. */
function named(name: string, { copies = 1, endsAt, failsAt, last }: Behavior = {}, log: string[] = []) {
  let count = 0;
  const step: Step<unknown, string> = {
    push(item, pass, end) {
      count++;
      for (let copy = 0; copy < copies; copy++) pass(`${item}${name}`);
      if (count === failsAt) throw new Error(`${name} fails`);
      if (count === endsAt) end();
    },
    end: last === undefined ? undefined : (pass) => pass(last),
    close: (error) => log.push(`${name} closed${error === undefined ? '' : `: ${(error as Error).message}`}`),
  };
  return step;
}

test('items pass the steps in order, and a step may pass on none, one or several', async () => {
  const log: string[] = [];
  const doubled = pipe(numbers(2, log), named('a', { copies: 2 }, log));
  expect(await collect(pipe(doubled, named('b', {}, log)))).toEqual(['1ab', '1ab', '2ab', '2ab']);
  expect(await collect(pipe(numbers(2), named('a', { copies: 0 })))).toEqual([]);
  expect(log).toEqual(['source ended', 'source closed', 'a closed', 'b closed']);
});

test('what a step passes on at the end goes through the later steps, too', async () => {
  const first = pipe(numbers(1), named('a', { last: 'end of a, ' }));
  expect(await collect(pipe(first, named('b', { last: 'end of b' })))).toEqual(['1ab', 'end of a, b', 'end of b']);
});

test('a step can end the stream: its source is left, and the later steps end', async () => {
  const log: string[] = [];
  const first = pipe(numbers(9, log), named('a', { endsAt: 2, last: 'unused' }, log));
  expect(await collect(pipe(first, named('b', { last: 'end of b' }, log)))).toEqual(['1ab', '2ab', 'end of b']);
  expect(log).toEqual(['source closed', 'a closed', 'b closed']);
});

test('a step can end the stream with the last item of an earlier step', async () => {
  const first = pipe(numbers(1), named('a', { last: 'end of a, ' }));
  const second = pipe(first, named('b', { endsAt: 2, last: 'unused' }));
  expect(await collect(pipe(second, named('c', { last: 'end of c' })))).toEqual(['1abc', 'end of a, bc', 'end of c']);
});

test('a failure comes after the items before it, and every step is told', async () => {
  const log: string[] = [];
  const got: string[] = [];
  const piped = pipe(pipe(numbers(9, log), named('a', { failsAt: 2 }, log)), named('b', {}, log));
  const read = async (): Promise<void> => {
    for await (const item of piped) got.push(item);
  };
  await expect(read()).rejects.toThrow('a fails');
  expect(got).toEqual(['1ab', '2ab']);
  expect(log).toEqual(['source closed', 'a closed: a fails', 'b closed: a fails']);
});

test('leaving the loop closes the source and the steps', async () => {
  const log: string[] = [];
  for await (const item of pipe(numbers(9, log), named('a', {}, log))) if (item === '2a') break;
  expect(log).toEqual(['source closed', 'a closed']);
});

test('a pipe that is being read is an ordinary source', async () => {
  const first = pipe(numbers(3), named('a'));
  expect((await first.next()).value).toBe('1a');
  expect(await collect(pipe(first, named('b')))).toEqual(['2ab', '3ab']);
});

test('a source that is opened later may be a pipe, whose steps come first', async () => {
  const log: string[] = [];
  const later = openLater(async () => {
    log.push('opened');
    return pipe(
      openLater(async () => numbers(2)),
      named('a', {}, log),
    );
  });
  const piped = onClosed(pipe(later, named('b', {}, log)), () => log.push('closed'));
  expect(log).toEqual([]);
  expect(await collect(piped)).toEqual(['1ab', '2ab']);
  expect(log).toEqual(['opened', 'a closed', 'b closed', 'closed']);
});

test('a source that cannot be opened is a failure', async () => {
  const log: string[] = [];
  const failing = openLater(async (): Promise<AsyncIterable<number>> => {
    throw new Error('no source');
  });
  await expect(collect(pipe(failing, named('a', {}, log)))).rejects.toThrow('no source');
  expect(log).toEqual(['a closed: no source']);
});

test('a stream that is left before it is read opens nothing', async () => {
  const log: string[] = [];
  const piped = pipe(
    openLater(async () => numbers(1, log)),
    named('a', {}, log),
  );
  await piped.return(undefined);
  expect(log).toEqual([]);
});
