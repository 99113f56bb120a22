import { expect, test } from 'vitest';
import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { followAnswer } from './follow-answer.ts';

const objects = ['one ', 'two ', 'three'].map((content, index) => ({
  model: 'ember',
  created_at: '',
  message: { role: 'assistant' as const, content },
  done: index === 2,
}));

/** A connection that sends objects, and then breaks unless it is complete. */
function connection(parts: readonly object[], isComplete = true): Response {
  const bytes = parts.map((part) => new TextEncoder().encode(`${JSON.stringify(part)}\n`));
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = bytes.shift();
      if (next !== undefined) controller.enqueue(next);
      else if (isComplete) controller.close();
      else controller.error(new TypeError('network error'));
    },
  });
  return new Response(stream);
}

interface Followed {
  readonly text: string;
  /** The numbers from which objects were requested. */
  readonly requested: readonly number[];
  readonly pauses: readonly number[];
  readonly losses: readonly boolean[];
  readonly error?: unknown;
}

async function follow(connect: (from: number) => Response, first?: Response, from = 0): Promise<Followed> {
  const requested: number[] = [];
  const pauses: number[] = [];
  const losses: boolean[] = [];
  const parts: ChatResponseBody[] = [];
  const options = {
    first,
    from,
    connect: async (number: number) => {
      requested.push(number);
      return connect(number);
    },
    pause: async (milliseconds: number) => void pauses.push(milliseconds),
    onLost: (isLost: boolean) => {
      if (isLost !== (losses.at(-1) ?? false)) losses.push(isLost);
    },
    signal: new AbortController().signal,
  };
  let error: unknown;
  try {
    for await (const part of followAnswer(options)) parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  return { text: parts.map(({ message }) => message?.content).join(''), requested, pauses, losses, error };
}

test('an answer of one connection', async () => {
  const result = await follow(() => connection([]), connection(objects));
  expect(result).toEqual({ text: 'one two three', requested: [], pauses: [], losses: [], error: undefined });
});

test('a lost connection is replaced, and nothing is received twice', async () => {
  const result = await follow((from) => connection(objects.slice(from)), connection(objects.slice(0, 1), false));
  expect(result).toEqual({
    text: 'one two three',
    requested: [1],
    pauses: [500],
    losses: [true, false],
    error: undefined,
  });
});

test('a connection that ends before the answer is lost, too', async () => {
  const result = await follow((from) => connection(objects.slice(from, from + 1)), connection([]));
  expect(result).toMatchObject({ text: 'one two three', requested: [0, 1, 2] });
});

test('an answer is picked up from where it was', async () => {
  expect(await follow((from) => connection(objects.slice(from)), undefined, 2)).toMatchObject({
    text: 'three',
    requested: [2],
  });
});

test('an error of the server is the end', async () => {
  const result = await follow(() => connection([]), connection([objects[0] ?? {}, { error: 'no memory', code: 'x' }]));
  expect(result).toMatchObject({ text: 'one ', requested: [], error: { message: 'no memory', code: 'x' } });
});

test('after some attempts without an object, the connection is given up', async () => {
  const result = await follow(() => connection([], false), connection([], false));
  expect(result).toMatchObject({ pauses: [500, 1000, 2000, 4000, 8000, 16_000], error: { message: 'network error' } });
});
