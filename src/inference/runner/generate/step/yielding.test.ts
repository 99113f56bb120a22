// Requests that yield their slot continue as if nothing had happened.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createScriptedLoop,
  passNanoseconds,
  type ScriptedLoop,
  type ScriptedLoopOptions,
  type ScriptedRequest,
} from '../../../../../test/support/runner/scripted-loop.ts';
import {
  alphabet,
  answering,
  createScriptedVocabulary,
  type Script,
} from '../../../../../test/support/runner/scripted-model.ts';
import type { DoneEvent, TokenLogprob } from '../../../protocol/messages.ts';
import { createLogprobLog, watchSampler } from '../sampling/logprobs.ts';
import { createPenalties } from '../sampling/penalties.ts';
import type { Sampler } from '../sampling/sampler.ts';
import { createTokenPieces } from '../text/answer-pieces.ts';

/** The requests in the order in which they were started or done. */
const orderOf = ({ events }: ScriptedLoop, type: 'started' | 'done'): number[] =>
  events.flatMap((event) => (event.type === type ? [event.id] : []));

describe('a slot', () => {
  test('is yielded to another client, and the answer continues later', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 1, slotPasses: 3 });
    scripted.add(1, 'a', { client: 'a', budget: 10 });
    scripted.add(2, 'p', { client: 'b', budget: 2 });
    scripted.run();
    expect([1, 2].map(scripted.textOf)).toEqual(['bcdefghijk', 'qr']);
    expect(orderOf(scripted, 'done')).toEqual([2, 1]);
    expect(scripted.loop.counters.slotsYielded).toBe(1);
    expect(scripted.freed).toEqual([2, 1]);
  });

  test('is kept until the time is over, and if no other client waits', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 1, slotPasses: 3 });
    scripted.add(1, 'a', { client: 'a', budget: 10 });
    scripted.add(2, 'a', { client: 'a', budget: 2 });
    scripted.run();
    expect(orderOf(scripted, 'done')).toEqual([1, 2]);
    expect(scripted.loop.counters.slotsYielded).toBe(0);
  });

  test('goes to each client in turn while all have endless answers', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 1, slotPasses: 5 });
    for (const [index, client] of ['a', 'b', 'c'].entries())
      scripted.add(index, String.fromCharCode(0x61 + index), { client, budget: 1000 });
    for (let step = 0; step < 180; step++) scripted.loop.step();
    const shares = [0, 1, 2].map((id) => scripted.textOf(id).length);
    for (const share of shares) expect(share).toBeGreaterThan(50);
  });

  test('of eight with endless answers of one client goes to another client soon', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 8, slotPasses: 5 });
    for (let id = 1; id <= 20; id++) scripted.add(id, 'a', { client: 'many', budget: 100 });
    for (let step = 0; step < 10; step++) scripted.loop.step();
    scripted.add(99, 'a', { client: 'one', budget: 3 });
    for (let step = 0; step < 5; step++) scripted.loop.step();
    expect(orderOf(scripted, 'done')).toEqual([99]);
    expect(scripted.loop.counters.slotsYielded).toBe(1);
    // The answer that was paused goes on before the other requests of its client begin.
    scripted.loop.step();
    expect(orderOf(scripted, 'started').filter((id) => id !== 99)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    scripted.run();
    expect(scripted.freed.toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 20 }, (_, index) => index + 1),
      99,
    ]);
  });

  test('is not yielded while a prompt is evaluated', () => {
    const prompt = 'x'.repeat(200);
    const script = answering({ [prompt]: 'abc', 'z:': 'y' });
    const scripted = createScriptedLoop({ script, parallel: 1, numBatch: 10, slotPasses: 2 });
    scripted.add(1, prompt, { client: 'a' });
    for (let step = 0; step < 5; step++) scripted.loop.step();
    scripted.add(2, 'z:', { client: 'b' });
    scripted.run();
    expect(orderOf(scripted, 'started')).toEqual([1, 2]);
    expect([1, 2].map(scripted.textOf)).toEqual(['abc', 'y']);
  });

  test('is yielded to so many requests only that the memory of paused ones is bounded', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 1, slotPasses: 0 });
    for (let id = 1; id <= 100; id++) scripted.add(id, 'a', { client: `client ${id}`, budget: 20 });
    for (let step = 0; step < 1000; step++) scripted.loop.step();
    expect(orderOf(scripted, 'started')).toHaveLength(65);
    scripted.run();
    expect(orderOf(scripted, 'done')).toHaveLength(100);
  });
});

describe('a paused request', () => {
  test('can be canceled', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 1, slotPasses: 3 });
    scripted.add(1, 'a', { client: 'a', budget: 10 });
    scripted.add(2, 'p', { client: 'b', budget: 20 });
    for (let step = 0; step < 6; step++) scripted.loop.step();
    expect(scripted.loop.counters.slotsYielded).toBe(1);
    scripted.loop.cancel(1);
    scripted.run();
    expect(orderOf(scripted, 'done')).toEqual([2]);
    expect(scripted.freed).toEqual([1, 2]);
    expect(scripted.textOf(2)).toHaveLength(20);
  });

  test('reports the time in which it was generated, not the pause', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 1, slotPasses: 3 });
    scripted.add(1, 'a', { client: 'a', budget: 10 });
    scripted.add(2, 'p', { client: 'b', budget: 3 });
    scripted.run();
    expect(scripted.events.filter(({ type }) => type === 'done')).toMatchObject([
      { id: 2, generatedTokens: 3, promptNanoseconds: passNanoseconds, generateNanoseconds: 2 * passNanoseconds },
      { id: 1, generatedTokens: 10, promptNanoseconds: passNanoseconds, generateNanoseconds: 9 * passNanoseconds },
    ]);
  });

  test('evaluates its tokens again if they do not fit into the prefix cache', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 1, slotPasses: 3, prefixCacheBytes: 3 });
    scripted.add(1, 'a', { client: 'a', budget: 10 });
    scripted.add(2, 'p', { client: 'b', budget: 2 });
    scripted.run();
    expect([1, 2].map(scripted.textOf)).toEqual(['bcdefghijk', 'qr']);
    // All five at once: the prompt, three evaluated tokens of the answer, and the last one.
    expect(scripted.context.passes.map((parts) => parts[0]?.text)).toContain('abcde');
    expect(orderOf(scripted, 'started')).toEqual([1, 2]);
  });
});

/** Draws tokens by its own state and the logits, which have the penalties of all tokens so far. */
function createStatefulSampler(logitsOf: (row: number) => Float32Array): Sampler {
  const vocabulary = createScriptedVocabulary();
  const settings = {
    repeatLastN: 7,
    repeatPenalty: 1.5,
    presencePenalty: 4,
    frequencyPenalty: 3,
    penalizeNewline: true,
  };
  const penalties = createPenalties(settings, { contextLength: 100, vocabulary });
  let state = 1;
  return {
    observe: penalties.accept,
    prepare: () => undefined,
    sample(row) {
      const logits = logitsOf(row).slice();
      penalties.apply(logits);
      state = (state * 16_807) % 2_147_483_647;
      const ranked = [...logits.keys()].sort((a, b) => (logits[b] as number) - (logits[a] as number));
      const token = ranked[state % 3] as number;
      // No end, and nothing outside of the alphabet.
      const letter = 0x61 + (token % 26);
      penalties.accept(letter);
      return letter;
    },
    free: () => {},
  };
}

interface Transcript {
  readonly text: string;
  readonly logprobs: readonly TokenLogprob[];
  readonly done: DoneEvent | undefined;
}

/** The next character depends on every cell of the cache. */
const script: Script = (text) => {
  let hash = 7;
  for (let index = 0; index < text.length; index++) hash = (hash * 31 + text.charCodeAt(index)) % 1_000_003;
  return String.fromCharCode(0x61 + (hash % 26));
};

/** What the client of a request receives that has all the state that a sequence can have. */
function transcriptOf(
  options: Partial<ScriptedLoopOptions>,
  request: ScriptedRequest,
  others: readonly number[],
): Transcript {
  const scripted = createScriptedLoop({ script, parallel: 1, contextLength: 40, ...options });
  const vocabulary = createScriptedVocabulary();
  const image = scripted.context.image(4, 3);
  const logprobs = createLogprobLog(vocabulary, { top: 2, pieceOf: createTokenPieces(vocabulary) });
  const sampler = watchSampler(createStatefulSampler(scripted.context.logits), scripted.context, logprobs);
  scripted.add(1, '', {
    tokens: [0x61, 0x62, ...image.tokens, 0x63, 0x64],
    images: [{ start: 2, image }],
    client: 'a',
    budget: 150,
    keep: 2,
    sampler,
    logprobs,
    wantContext: true,
    ...request,
  });
  others.forEach((budget, index) => {
    scripted.add(2 + index, 'p', { client: `other ${index}`, budget });
  });
  scripted.run();
  const done = scripted.events.find((event) => event.type === 'done' && event.id === 1) as DoneEvent | undefined;
  return { text: scripted.textOf(1), logprobs: scripted.logprobsOf(1), done };
}

describe('the answer is the same with and without yielding', () => {
  const anyOthers = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 });
  const anyLoop = fc.record({
    slotPasses: fc.integer({ min: 0, max: 30 }),
    prefixCacheBytes: fc.constantFrom(0, 200, 10_000),
    sharesPrefixes: fc.boolean(),
  });
  // The beginning of a stop sequence is held back until it is complete.
  const stop = transcriptOf({}, {}, []).text.slice(100, 104);

  test.each<{ name: string; request: ScriptedRequest; reason: DoneEvent['reason'] }>([
    { name: 'with penalties, probabilities, an image and context shifts', request: {}, reason: 'length' },
    { name: 'until the context is full', request: { shift: false }, reason: 'length' },
    { name: 'until a stop sequence', request: { stop: [stop] }, reason: 'stop' },
  ])('$name', ({ request, reason }) => {
    const { done, ...alone } = transcriptOf({}, request, []);
    expect(done?.reason).toBe(reason);
    fc.assert(
      fc.property(anyOthers, anyLoop, (others, loop) => {
        expect(transcriptOf(loop, request, others)).toEqual({
          ...alone,
          // Times depend on what is evaluated again.
          done: { ...done, promptNanoseconds: expect.anything(), generateNanoseconds: expect.anything() },
        });
      }),
      { numRuns: 40 },
    );
  });
});
