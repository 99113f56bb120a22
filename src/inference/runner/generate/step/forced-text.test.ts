// A text that the thinking forces: its tokens are evaluated as part of the answer, and are not counted as generated.

import { describe, expect, test } from 'vitest';
import {
  createScriptedLoop,
  type ScriptedLoop,
  type ScriptedLoopOptions,
  type ScriptedRequest,
} from '../../../../../test/support/runner/scripted-loop.ts';
import { alphabet, createScriptedVocabulary } from '../../../../../test/support/runner/scripted-model.ts';
import type { ThinkingInput } from '../../../protocol/messages.ts';
import { createLogprobLog, watchSampler } from '../sampling/logprobs.ts';
import { Thinking } from '../sampling/thinking.ts';
import { createNgramDrafter } from '../speculation/ngram-drafter.ts';
import { createTokenPieces } from '../text/answer-pieces.ts';

const tags = { open: '<', close: '>', begun: true };
const forcedClose = '\n>\n\n';
/** Thinks without end, and answers `yes` after the closing tag. */
const thinker = (text: string): string => {
  const closed = text.lastIndexOf('>');
  return closed === -1 ? alphabet(text) : ('yes'[text.slice(closed + 1).trimStart().length] ?? '');
};

/** A request whose greedy sampler drives the thinking, as the real one does. */
function think(scripted: ScriptedLoop, id: number, input: ThinkingInput, request: ScriptedRequest = {}) {
  const thinking = new Thinking(input);
  const sequence = scripted.add(id, 'a', { thinking, ...request });
  const { sample } = sequence.sampler;
  sequence.sampler.sample = (row) => {
    const token = sample(row);
    if (token !== undefined && thinking.phase !== 'content')
      thinking.accept(thinking.after({ token, text: String.fromCharCode(token) }));
    return token;
  };
  return sequence;
}

function answer(options: Partial<ScriptedLoopOptions>, request: ScriptedRequest = {}, budget = 4) {
  const scripted = createScriptedLoop({ script: thinker, ...options });
  const sequence = think(scripted, 1, { ...tags, budget }, request);
  scripted.run();
  return { scripted, sequence, text: scripted.textOf(1), done: scripted.events.at(-1) };
}

describe.each([false, true])('with a GPU: %s', (hasDeviceMemory) => {
  test('the forced text is part of the text, and the answer follows it', () => {
    const { scripted, text, done } = answer({ hasDeviceMemory });
    expect(text).toBe(`bcde${forcedClose}yes`);
    expect(scripted.context.passes.map(([part]) => part?.text)).toEqual(expect.arrayContaining([`e${forcedClose}`]));
    // Four of the thinking, three of the answer, and its end.
    expect(done).toMatchObject({ type: 'done', reason: 'stop', generatedTokens: 8, thinkingTokens: 4 });
    expect(scripted.loop.counters.tokensGenerated).toBe(8);
  });

  test('other requests are not delayed', () => {
    const scripted = createScriptedLoop({ script: thinker, hasDeviceMemory });
    think(scripted, 1, { ...tags, budget: 4 });
    scripted.add(2, 'a', { budget: 12 });
    scripted.run();
    expect([scripted.textOf(1), scripted.textOf(2)]).toEqual([`bcde${forcedClose}yes`, 'bcdefghijklm']);
    const lengths = scripted.context.passes.map((parts) => parts.length);
    expect(lengths.lastIndexOf(2)).toBeGreaterThan(5);
  });

  test('a stop sequence in it does not end the answer, one before it does', () => {
    expect(answer({ hasDeviceMemory }, { stop: ['\n\n'] }).text).toBe(`bcde${forcedClose}yes`);
    expect(answer({ hasDeviceMemory }, { stop: ['e\n'] }).text).toBe(`bcde${forcedClose}yes`);
    expect(answer({ hasDeviceMemory }, { stop: ['de'] })).toMatchObject({ text: 'bc', done: { stopSequence: 'de' } });
  });
});

test('the limit of the answer comes first', () => {
  const { text, done } = answer({}, { budget: 4 });
  expect(text).toBe('bcde');
  expect(done).toMatchObject({ reason: 'length', generatedTokens: 4, thinkingTokens: 4 });
});

test('the limit of the answer does not count it', () => {
  const { text, done } = answer({}, { budget: 6 });
  expect(text).toBe(`bcde${forcedClose}ye`);
  expect(done).toMatchObject({ reason: 'length', generatedTokens: 6, thinkingTokens: 4 });
});

test('the context has its tokens, also after a stop sequence', () => {
  const context = (stop: readonly string[]) => {
    const { done } = answer({}, { wantContext: true, stop });
    return done?.type === 'done' ? String.fromCharCode(...(done.context ?? [])) : '';
  };
  expect(context([])).toBe(`abcde${forcedClose}yes\u0000`);
  expect(context(['s'])).toBe(`abcde${forcedClose}ye`);
});

test('it has no log probabilities, and those of the tokens after it are right', () => {
  const scripted = createScriptedLoop({ script: thinker });
  const vocabulary = createScriptedVocabulary();
  const logprobs = createLogprobLog(vocabulary, { top: 0, pieceOf: createTokenPieces(vocabulary) });
  const sequence = think(scripted, 1, { ...tags, budget: 4 }, { logprobs });
  Object.assign(sequence.sampler, watchSampler({ ...sequence.sampler }, scripted.context, logprobs));
  scripted.run();
  const reported = scripted.logprobsOf(1).map(({ bytes }) => String.fromCharCode(...bytes));
  expect(reported.join('')).toBe('bcdeyes');
});

test('a full context is shifted for it, or ends the answer', () => {
  const small = { contextLength: 7 };
  expect(answer(small)).toMatchObject({ text: `bcde${forcedClose}yes`, done: { reason: 'stop' } });
  expect(answer(small, { shift: false })).toMatchObject({ text: `bcde${forcedClose}`, done: { reason: 'length' } });
});

test.each([40, 41, 42, 43, 44, 45, 46, 47])('a draft ends before it: after %d tokens', (budget) => {
  const drafters = { ngram: createNgramDrafter({ costOf: () => 1 }) };
  const { text, done } = answer({}, { drafters }, budget);
  const { text: expected } = answer({}, {}, budget);
  expect(text).toBe(expected);
  expect(done).toMatchObject({ generatedTokens: budget + 4, thinkingTokens: budget });
  expect(done?.type === 'done' ? (done.draftedTokens ?? 0) : 0).toBeGreaterThan(0);
});
