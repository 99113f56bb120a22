// Speculation at work in a step loop.

import { describe, expect, test } from 'vitest';
import {
  createScriptedLoop,
  type ScriptedLoopOptions,
  type ScriptedRequest,
} from '../../../../../test/support/runner/scripted-loop.ts';
import { answering } from '../../../../../test/support/runner/scripted-model.ts';
import type { DoneEvent } from '../../../protocol/messages.ts';
import type { Drafters } from '../speculation/drafter.ts';
import { createNgramDrafter } from '../speculation/ngram-drafter.ts';
import { createPassCosts } from '../speculation/pass-costs.ts';

const file = 'let a = 1; let b = 2; let c = 3; print(a + b + c); exit(0);';
const edited = 'let a = 1; let b = 7; let c = 3; print(a + b + c); exit(0);';
const prompt = `<${file}>`;

const createDrafters = (): Drafters => ({ ngram: createNgramDrafter(createPassCosts()) });

function createLoop(answer: string, options: Partial<ScriptedLoopOptions> = {}) {
  return createScriptedLoop({ script: answering({ [prompt]: answer }), ...options });
}

/** Runs the same request with and without speculation. */
function runBoth(answer: string, request: ScriptedRequest = {}, options: Partial<ScriptedLoopOptions> = {}) {
  const [plain, speculating] = [undefined, createDrafters()].map((drafters) => {
    const scripted = createLoop(answer, options);
    scripted.add(1, prompt, { ...request, drafters });
    scripted.run();
    return scripted;
  });
  if (plain === undefined || speculating === undefined) throw new Error('both run');
  return { plain, speculating };
}

describe('an answer that quotes its prompt', () => {
  test('has the same text in a fraction of the passes', () => {
    const { plain, speculating } = runBoth(file);
    expect(speculating.textOf(1)).toBe(file);
    expect(plain.context.passes).toHaveLength(file.length + 1);
    // 12 single tokens, then drafts of 7, 15, 31 tokens.
    expect(speculating.context.passes.length).toBeLessThan(20);
  });

  test('has the same text if it differs from the prompt', () => {
    const { speculating } = runBoth(edited);
    expect(speculating.textOf(1)).toBe(edited);
    expect(speculating.context.passes.length).toBeLessThan(40);
  });

  test('reports drafted and accepted tokens', () => {
    const { plain, speculating } = runBoth(edited);
    const { tokensDrafted, draftsAccepted } = speculating.loop.counters;
    expect(draftsAccepted).toBeGreaterThan(20);
    expect(tokensDrafted).toBeGreaterThan(draftsAccepted);
    expect(speculating.events.at(-1)).toMatchObject({
      generatedTokens: edited.length + 1,
      draftedTokens: tokensDrafted,
      acceptedTokens: draftsAccepted,
    });
    expect(plain.loop.counters.tokensDrafted).toBe(0);
    expect(plain.events.at(-1)).not.toHaveProperty('draftedTokens');
  });

  test('leaves no drafted token in its cells', () => {
    const scripted = createLoop(edited);
    const sequence = scripted.add(1, prompt, { drafters: createDrafters() });
    while (scripted.loop.step()) {
      expect(scripted.context.cached(0)).toBe(String.fromCharCode(...sequence.tokens.slice(0, sequence.evaluated)));
    }
    expect(sequence.drafted).toBeGreaterThan(sequence.accepted);
  });
});

describe('an end inside a draft', () => {
  const expectSameEnd = (
    answer: string,
    request: ScriptedRequest = {},
    options: Partial<ScriptedLoopOptions> = {},
  ): void => {
    const { plain, speculating } = runBoth(answer, { wantContext: true, ...request }, options);
    expect(speculating.textOf(1)).toBe(plain.textOf(1));
    const { generateNanoseconds: _, ...end } = plain.events.at(-1) as DoneEvent;
    expect(speculating.events.at(-1)).toMatchObject(end);
    expect(speculating.loop.counters.draftsAccepted).toBeGreaterThan(0);
  };

  test.each([
    ['a stop sequence', file, { stop: ['c = 3'] }, {}],
    ['the end of the answer', file.slice(0, 30), {}, {}],
    ['the budget', file, { budget: 40 }, {}],
    ['a full context', file, { shift: false }, { contextLength: prompt.length + 30 }],
    ['small batches', file, {}, { numBatch: 6 }],
  ] as const)('%s', (_, answer, request, options) => {
    expectSameEnd(answer, request, options);
  });

  test('the prefix cache keeps only tokens of the answer', () => {
    const scripted = createLoop(file.slice(0, 30));
    scripted.add(1, prompt, { drafters: createDrafters() });
    scripted.run();
    const again = `${prompt}${file.slice(0, 30)}!`;
    scripted.add(2, again, { budget: 1 });
    scripted.run();
    expect(scripted.events.at(-2)).toMatchObject({ type: 'started', id: 2, cachedTokens: prompt.length + 30 });
    expect(scripted.context.passes.at(-1)).toEqual([{ slot: 0, text: '!' }]);
  });
});

test('a request does not speculate while others have slots', () => {
  // Without a common beginning: the second request would wait for the evaluation of the first.
  const prompts = [`A${prompt}`, `B${prompt}`] as const;
  const scripted = createScriptedLoop({ script: answering({ [prompts[0]]: file, [prompts[1]]: file }) });
  prompts.forEach((text, index) => {
    scripted.add(index + 1, text, { drafters: createDrafters() });
  });
  scripted.run();
  expect(scripted.loop.counters.tokensDrafted).toBe(0);
  expect([1, 2].map(scripted.textOf)).toEqual([file, file]);
});

test('a request fails if its draft cannot be removed', () => {
  const scripted = createLoop(edited);
  scripted.add(1, prompt, { drafters: createDrafters() });
  const { forget } = scripted.context;
  scripted.context.forget = (slot, from) => from === 0 && forget(slot, from);
  scripted.run();
  expect(scripted.events.at(-1)).toMatchObject({ type: 'failed', id: 1, code: 'request_failed' });
});

test('a sampler sees one row for each token, in order', () => {
  const seen: number[] = [];
  const scripted = createLoop(file);
  const sequence = scripted.add(1, prompt, { drafters: createDrafters() });
  const { sample } = sequence.sampler;
  sequence.sampler.sample = (row) => {
    const token = sample(row);
    seen.push(token as number);
    return token;
  };
  scripted.run();
  expect(String.fromCharCode(...seen)).toBe(`${file}\u0000`);
});
