import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { HearthError } from '../../../base/errors.ts';
import type { EmbeddedText, RunnerEvent } from '../../protocol/messages.ts';
import { createOutbox } from '../events/outbox.ts';
import type { EmbedContext } from './embed-context.ts';
import { Embedder } from './embedder.ts';

// The vector of a text is its number of tokens.
const maxTokens = 600;
let passes: number[][];
let events: RunnerEvent[];
let embedder: Embedder;

function create(kind: EmbedContext['kind'], begin?: EmbedContext['begin']): Embedder {
  passes = [];
  events = [];
  const clock = createFakeClock();
  const context: EmbedContext = {
    kind,
    sequences: 8,
    begin:
      begin ??
      ((texts) => {
        const lengths = texts.map((tokens) => tokens.length);
        let left = lengths.reduce((sum, length) => sum + length, 0);
        passes.push(lengths);
        return {
          advance(tokens) {
            left -= kind === 'pooled' ? left : tokens;
            return left > 0 ? undefined : lengths.map((length) => Float32Array.of(length));
          },
        };
      }),
  };
  const outbox = createOutbox(clock, (event) => events.push(event));
  return new Embedder(context, outbox, { clock, numBatch: 512 });
}

beforeEach(() => {
  embedder = create('last');
});

const ask = (id: number, lengths: readonly number[]): void =>
  embedder.add({
    id,
    count: lengths.length,
    tokensOf(index) {
      const length = lengths[index] as number;
      if (length > maxTokens) throw new HearthError('bad_request', 'too long');
      return new Array<number>(length).fill(1);
    },
  });

function runOut(othersGenerate = false): number {
  let steps = 0;
  do {
    embedder.step({ othersGenerate });
    steps++;
  } while (!embedder.isIdle);
  return steps;
}

const vectorsOf = (id: number): EmbeddedText[] =>
  events
    .flatMap((event) => (event.type === 'embedded' && event.id === id ? event.vectors : []))
    .sort((a, b) => a.index - b.index);
const tokensOf = (id: number): number[] => vectorsOf(id).map(({ tokens }) => tokens);

test('every text gets its own vector once', () => {
  ask(1, [300, 20, 400, 100, 7]);
  runOut();
  expect(tokensOf(1)).toEqual([300, 20, 400, 100, 7]);
  const floats = vectorsOf(1).map(({ vector }) => Buffer.from(vector, 'base64').readFloatLE());
  expect(floats).toEqual([300, 20, 400, 100, 7]);
  expect(embedder.counters).toEqual({ texts: 5, tokens: 827, passes: passes.length });
});

test('texts of several requests share passes', () => {
  ask(1, [300, 250]);
  ask(2, [200, 250]);
  runOut();
  expect(passes).toEqual([
    [300, 200],
    [250, 250],
  ]);
});

test('a short request does not wait for the end of a long one', () => {
  ask(1, new Array<number>(20).fill(500));
  ask(2, [400]);
  while (vectorsOf(2).length === 0) embedder.step({ othersGenerate: false });
  expect(passes.length).toBeLessThanOrEqual(2);
  runOut();
  expect(tokensOf(1)).toHaveLength(20);
});

describe('while answers are generated', () => {
  test('a pass is split', () => {
    ask(1, [512]);
    expect(runOut(true)).toBe(4);
  });

  test('passes that cannot be split are short', () => {
    embedder = create('pooled');
    ask(1, [60, 60, 60, 60]);
    expect(runOut(true)).toBe(2);
    expect(passes).toEqual([
      [60, 60],
      [60, 60],
    ]);
  });
});

test('a canceled request is not computed and gets no event', () => {
  ask(1, [500, 500, 500]);
  ask(2, [300]);
  embedder.step({ othersGenerate: true });
  embedder.cancel(1);
  runOut();
  expect(tokensOf(1)).toEqual([]);
  expect(tokensOf(2)).toEqual([300]);
  expect(passes).toEqual([[500], [300]]);
  embedder.cancel(1);
});

test('an invalid text fails only its own request', () => {
  ask(1, [10, 700]);
  ask(2, [20]);
  runOut();
  expect(events).toContainEqual({ type: 'failed', id: 1, code: 'bad_request', message: 'too long' });
  expect(tokensOf(1)).toEqual([]);
  expect(tokensOf(2)).toEqual([20]);
});

test('a failed pass fails its requests', () => {
  embedder = create('last', () => {
    throw new HearthError('request_failed', 'no memory');
  });
  ask(1, [10]);
  ask(2, [20]);
  expect(runOut()).toBe(1);
  expect(events).toEqual([1, 2].map((id) => ({ type: 'failed', id, code: 'request_failed', message: 'no memory' })));
});
