// The evaluator at work in a step loop: a full context, cached prefixes, images.

import { describe, expect, test } from 'vitest';
import { createScriptedLoop } from '../../../../../test/support/runner/scripted-loop.ts';
import { alphabet, answering } from '../../../../../test/support/runner/scripted-model.ts';

describe('a full context', () => {
  test('is shifted: the kept tokens stay, and the answer continues', () => {
    const scripted = createScriptedLoop({ script: alphabet, contextLength: 20 });
    scripted.add(1, 'KEEPabcdef', { keep: 4, budget: 30 });
    for (let step = 0; step < 12; step++) scripted.loop.step();
    // 10 prompt tokens and 10 generated ones fill it. The shift drops the older half of the 16 that are not kept.
    expect(scripted.context.cached(0)).toBe('KEEPijklmnopq');
    scripted.run();
    expect(scripted.textOf(1)).toBe('ghijklmnopqrstuvwxyzabcdefghij');
    expect(scripted.loop.counters.contextShifts).toBe(3);
  });

  test('fails the request, and no other, if its cells cannot be restored after the shift', () => {
    const scripted = createScriptedLoop({ script: alphabet, contextLength: 20 });
    scripted.context.restore = () => false;
    scripted.add(1, 'abc', { budget: 15 });
    scripted.add(2, 'abcdefghij', { budget: 30 });
    scripted.run();
    expect(scripted.events.find(({ type }) => type === 'failed')).toMatchObject({ id: 2, code: 'request_failed' });
    expect(scripted.textOf(1)).toBe('defghijklmnopqr');
  });

  test.each([
    ['the request allows no shift', { shift: false }, {}],
    ['the model cannot shift', {}, { canShift: false }],
  ])('ends the answer if %s', (_, request, options) => {
    const scripted = createScriptedLoop({ script: alphabet, contextLength: 20, ...options });
    scripted.add(1, 'abcdefghij', request);
    scripted.run();
    expect(scripted.events.at(-1)).toMatchObject({ type: 'done', reason: 'length', generatedTokens: 11 });
    expect(scripted.loop.counters.contextShifts).toBe(0);
  });
});

describe('prefixes', () => {
  const prompt = 'p'.repeat(80);

  test('a finished request leaves its prompt to the next one', () => {
    const scripted = createScriptedLoop({ script: answering({ [prompt]: 'ok' }) });
    scripted.add(1, prompt);
    scripted.run();
    scripted.add(2, prompt);
    scripted.run();
    expect(scripted.events.filter(({ type }) => type === 'started')).toMatchObject([
      { id: 1, promptTokens: 80, cachedTokens: 0 },
      { id: 2, promptTokens: 80, cachedTokens: 79 },
    ]);
    expect(scripted.loop.counters).toMatchObject({ promptTokensEvaluated: 81, promptTokensCached: 79 });
    expect(scripted.textOf(2)).toBe('ok');
  });

  test('a request waits for another one that evaluates the same prompt', () => {
    const scripted = createScriptedLoop({ script: answering({ [`${prompt}1`]: 'one', [`${prompt}2`]: 'two' }) });
    scripted.add(1, `${prompt}1`);
    scripted.add(2, `${prompt}2`);
    scripted.run();
    expect(scripted.events.filter(({ type }) => type === 'started')).toMatchObject([
      { id: 1, cachedTokens: 0 },
      { id: 2, cachedTokens: 80 },
    ]);
    expect([1, 2].map(scripted.textOf)).toEqual(['one', 'two']);
  });
});

describe('threads', () => {
  const fixedIn = (requests: readonly { readonly prompt: number; readonly seeded: boolean }[]): readonly boolean[] => {
    const scripted = createScriptedLoop({ script: alphabet });
    requests.forEach(({ prompt, seeded }, id) => void scripted.add(id, 'a'.repeat(prompt), { seeded, budget: 4 }));
    scripted.run();
    return scripted.context.fixedThreads;
  };

  test('are fixed where their number changes the rounding of a request with a seed', () => {
    expect(fixedIn([{ prompt: 254, seeded: true }])).toEqual([false, false, false, true]);
    expect(fixedIn([{ prompt: 300, seeded: false }])).not.toContain(true);
  });

  test('are not fixed for requests that share passes', () => {
    const request = { prompt: 40, seeded: true };
    expect(fixedIn([request, request])).not.toContain(true);
  });
});

describe('an image', () => {
  test('is evaluated alone, between the text before and after it', () => {
    const scripted = createScriptedLoop({ script: (text) => (text.includes('\u0002') ? '' : alphabet(text)) });
    // 6 tokens that take 2 positions.
    const image = scripted.context.image(6, 2);
    const tokens = [...Buffer.from('see '), ...image.tokens, ...Buffer.from(' ok?')];
    scripted.add(1, '', { tokens, images: [{ start: 4, image }] });
    scripted.add(2, 'a', { budget: 4 });
    scripted.run();
    expect(scripted.context.passes.slice(0, 4)).toEqual([
      [
        { slot: 0, text: 'see ' },
        { slot: 1, text: 'a' },
      ],
      [{ slot: 1, text: 'b' }],
      [{ slot: 0, text: '\u0002\u0002' }],
      [
        { slot: 0, text: ' ok?' },
        { slot: 1, text: 'c' },
      ],
    ]);
    expect(scripted.events).toMatchObject([
      { type: 'started', id: 1, promptTokens: 14 },
      { type: 'started', id: 2 },
      { type: 'done', id: 1, promptTokens: 14, generatedTokens: 1 },
      { type: 'done', id: 2 },
    ]);
    expect(scripted.loop.counters).toMatchObject({ promptTokensEvaluated: 15, promptPasses: 3 });
  });

  test('that comes first starts the request', () => {
    const scripted = createScriptedLoop({ script: () => '' });
    const image = scripted.context.image(3);
    scripted.add(1, '', { tokens: [...image.tokens, 0x61], images: [{ start: 0, image }] });
    scripted.run();
    expect(scripted.events.map(({ type }) => type)).toEqual(['started', 'done']);
  });

  test('that cannot be encoded fails its request alone', () => {
    const scripted = createScriptedLoop({
      script: alphabet,
      onDecode(parts) {
        if (parts[0]?.text.startsWith('\u0002')) throw new Error('the image could not be encoded');
        return 'done';
      },
    });
    const image = scripted.context.image(3);
    scripted.add(1, '', { tokens: [...image.tokens, 0x61], images: [{ start: 0, image }] });
    scripted.add(2, 'a', { budget: 2 });
    scripted.run();
    expect(scripted.events.find(({ type }) => type === 'failed')).toMatchObject({ id: 1 });
    expect(scripted.textOf(2)).toBe('bc');
  });
});

test('prompts are divided by the speed with which a GPU has evaluated them', () => {
  const lengths = (waitMilliseconds: number) => {
    const options = { contextLength: 4000, hasDeviceMemory: true, waitMilliseconds };
    const scripted = createScriptedLoop({ script: alphabet, ...options });
    scripted.add(1, 'a'.repeat(3000), { budget: 1 });
    scripted.run();
    return scripted.context.passes.map((parts) => parts[0]?.text.length);
  };
  expect(lengths(0)).toEqual([512, 512, 512, 512, 512, 440]);
  expect(lengths(5000).slice(0, 7)).toEqual([512, 512, 512, 384, 256, 128, 128]);
});
