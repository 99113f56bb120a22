import { describe, expect, test } from 'vitest';
import {
  createScriptedLoop,
  passNanoseconds,
  type ScriptedLoop,
} from '../../../../../test/support/runner/scripted-loop.ts';
import {
  alphabet,
  answering,
  createScriptedVocabulary,
  type ScriptedPart,
} from '../../../../../test/support/runner/scripted-model.ts';
import { HearthError } from '../../../../base/errors.ts';
import type { TokenLogprob } from '../../../protocol/messages.ts';
import { createLogprobLog, watchSampler } from '../sampling/logprobs.ts';
import { createTokenPieces } from '../text/answer-pieces.ts';

/** The slots of each pass, as digits. */
const slotsOf = (passes: readonly (readonly ScriptedPart[])[]): string[] =>
  passes.map((parts) => parts.map(({ slot }) => slot).join(''));

describe('one request', () => {
  test('is started, answered and done, with its counts and times', () => {
    const scripted = createScriptedLoop({ script: answering({ 'hi?': 'yes' }) });
    scripted.add(1, 'hi?', { droppedTokens: 7 });
    scripted.run();
    expect(scripted.textOf(1)).toBe('yes');
    expect(scripted.events).toEqual([
      { type: 'started', id: 1, promptTokens: 3, cachedTokens: 0, droppedTokens: 7 },
      {
        type: 'done',
        id: 1,
        reason: 'stop',
        promptTokens: 3,
        promptNanoseconds: passNanoseconds,
        // The token that ends the answer is one of them.
        generatedTokens: 4,
        generateNanoseconds: 3 * passNanoseconds,
      },
    ]);
    expect(scripted.loop.counters).toEqual({
      promptTokensEvaluated: 3,
      promptTokensCached: 0,
      tokensGenerated: 4,
      promptPasses: 1,
      generatePasses: 3,
      contextShifts: 0,
      slotsYielded: 0,
      tokensDrafted: 0,
      draftsAccepted: 0,
    });
    expect(scripted.freed).toEqual([1]);
  });

  test('the progress of a long prompt is reported, if the request asks for it', () => {
    const prompt = 'x'.repeat(1300);
    const options = { script: answering({ [prompt]: 'ok' }), numBatch: 1, contextLength: 2000 };
    const reported = (wantProgress: boolean) => {
      const scripted = createScriptedLoop(options);
      scripted.add(1, prompt, { wantProgress });
      scripted.run();
      expect(scripted.textOf(1)).toBe('ok');
      return scripted.events.filter(({ type }) => type === 'progress');
    };
    // Twice a second, and not after the first token.
    expect(reported(true)).toEqual([
      { type: 'progress', id: 1, evaluated: 500 },
      { type: 'progress', id: 1, evaluated: 1000 },
    ]);
    expect(reported(false)).toEqual([]);
  });

  test('there is no progress before the start: of a prompt that waits for another with the same beginning', () => {
    const common = 'x'.repeat(1200);
    const script = answering({ [`${common}a`]: 'ok', [`${common}b`]: 'ok' });
    const scripted = createScriptedLoop({ script, numBatch: 1, contextLength: 4000 });
    for (const [id, end] of ['a', 'b'].entries()) scripted.add(id, common + end, { wantProgress: true });
    scripted.run();
    const typesOf = (wanted: number) =>
      scripted.events.filter((event) => 'id' in event && event.id === wanted).map(({ type }) => type);
    expect(typesOf(0)).toEqual(['started', 'progress', 'progress', 'done']);
    expect(typesOf(1)).toEqual(['started', 'done']);
  });

  test('a prompt longer than num_batch is evaluated in chunks', () => {
    const prompt = 'x'.repeat(100);
    const scripted = createScriptedLoop({ script: answering({ [prompt]: 'ok' }), numBatch: 40 });
    scripted.add(1, prompt);
    scripted.run();
    expect(scripted.context.passes.map(([part]) => part?.text.length)).toEqual([40, 40, 20, 1, 1]);
    expect(scripted.textOf(1)).toBe('ok');
    expect(scripted.events.filter(({ type }) => type === 'started')).toHaveLength(1);
  });

  test('the budget ends it with "length"', () => {
    const scripted = createScriptedLoop({ script: alphabet });
    scripted.add(1, 'a', { budget: 3 });
    scripted.run();
    expect(scripted.textOf(1)).toBe('bcd');
    expect(scripted.events.at(-1)).toMatchObject({ type: 'done', reason: 'length', generatedTokens: 3 });
  });

  test('endless repetition ends it with "length"', () => {
    const scripted = createScriptedLoop({ script: () => 'x' });
    scripted.add(1, 'a');
    scripted.run();
    expect(scripted.events.at(-1)).toMatchObject({ type: 'done', reason: 'length' });
    expect(scripted.textOf(1)).toMatch(/^x{30,40}$/);
  });

  test('a stop sequence across tokens ends it and is reported', () => {
    const scripted = createScriptedLoop({ script: alphabet });
    scripted.add(1, 'a', { stop: ['zz', 'efg'], wantContext: true });
    scripted.run();
    expect(scripted.textOf(1)).toBe('bcd');
    // The context has the text that the client has received: no part of the stop sequence.
    const context = Array.from('abcd', (character) => character.charCodeAt(0));
    expect(scripted.events.at(-1)).toMatchObject({ reason: 'stop', stopSequence: 'efg', generatedTokens: 6, context });
  });

  test('the beginning of a stop sequence is sent if the answer ends there', () => {
    const scripted = createScriptedLoop({ script: answering({ a: 'bcd' }) });
    scripted.add(1, 'a', { stop: ['def'] });
    scripted.run();
    expect(scripted.textOf(1)).toBe('bcd');
    expect(scripted.events.at(-1)).toMatchObject({ type: 'done', stopSequence: undefined });
  });

  test('the text of a moment is written and sent together, and the first tokens at once', () => {
    const scripted = createScriptedLoop({ script: alphabet });
    const pieces: number[] = [];
    const sequence = scripted.add(1, 'a', { budget: 100 });
    for (let step = 0; step < 90; step++) {
      const before = scripted.textOf(1).length;
      scripted.loop.step();
      if (scripted.textOf(1).length > before) pieces.push(scripted.textOf(1).length - before);
      expect(scripted.textOf(1).length + sequence.unwritten.length).toBe(sequence.generated);
    }
    // A pass takes a millisecond, and text is sent every 40.
    expect(pieces).toEqual([1, 1, 1, 1, 1, 1, 40, 40]);
  });

  test('the log probabilities do not depend on how many tokens are written together', () => {
    const bytes = [0x61, 0xff, 0xf0, 0x9f, 0x62, 0xff, ...Buffer.from('é👍'), 0xe2, 0x82, 0x63, 0xff, 0xf0];
    const answer = (hasDeviceMemory: boolean): readonly TokenLogprob[] => {
      const scripted = createScriptedLoop({ script: alphabet, hasDeviceMemory });
      let next = 0;
      const sample = (): number => bytes[next++ % bytes.length] as number;
      const plain = { observe: () => {}, prepare: () => undefined, sample, free: () => {} };
      const vocabulary = createScriptedVocabulary();
      const logprobs = createLogprobLog(vocabulary, { top: 0, pieceOf: createTokenPieces(vocabulary) });
      const sampler = watchSampler(plain, scripted.context, logprobs);
      scripted.add(1, 'a', { budget: 4 * bytes.length, sampler, logprobs });
      scripted.run();
      return scripted.logprobsOf(1);
    };
    const [together, single] = [answer(false), answer(true)].map((all) => all.map((one) => one.bytes[0]));
    expect(together).toEqual(single);
    // The last one is not a complete character.
    const complete = [...bytes, ...bytes, ...bytes, ...bytes].slice(0, -1);
    expect(together?.slice(0, complete.length)).toEqual(complete);
  });

  test('a failure comes after the text before it', () => {
    const scripted = createScriptedLoop({ script: alphabet });
    let chosen = 0;
    const sample = (): number => {
      if (++chosen > 20) throw new Error('no token');
      return 0x62;
    };
    scripted.add(1, 'a', { sampler: { observe: () => {}, prepare: () => undefined, sample, free: () => {} } });
    scripted.run();
    expect(scripted.textOf(1)).toBe('b'.repeat(20));
    expect(scripted.events.at(-1)).toMatchObject({ type: 'failed', id: 1 });
  });

  test('a sampler that throws fails it', () => {
    const scripted = createScriptedLoop({ script: alphabet });
    const sample = (): number => {
      throw new HearthError('bad_request', 'no such token');
    };
    scripted.add(1, 'a', { sampler: { observe: () => {}, prepare: () => undefined, sample, free: () => {} } });
    scripted.run();
    expect(scripted.events.at(-1)).toEqual({ type: 'failed', id: 1, code: 'bad_request', message: 'no such token' });
    expect(scripted.freed).toEqual([1]);
  });
});

describe('several requests', () => {
  test('share passes, and each gets its own answer', () => {
    const scripted = createScriptedLoop({ script: answering({ 'one:': 'uno', 'two:': 'due', 'three:': 'tre' }) });
    scripted.add(1, 'one:');
    scripted.add(2, 'two:');
    scripted.add(3, 'three:');
    scripted.run();
    expect([1, 2, 3].map(scripted.textOf)).toEqual(['uno', 'due', 'tre']);
    expect(slotsOf(scripted.context.passes)).toEqual(['012', '012', '012', '012']);
    expect(scripted.loop.counters).toMatchObject({ promptPasses: 1, generatePasses: 3, tokensGenerated: 12 });
  });

  test('join and leave between steps; the last slot moves into the gap', () => {
    const scripted = createScriptedLoop({ script: answering({ 'one:': 'ab', 'two:': 'cdefghi', 'three:': 'jkl' }) });
    scripted.add(1, 'one:');
    scripted.add(2, 'two:');
    scripted.loop.step();
    scripted.add(3, 'three:');
    scripted.run();
    expect([1, 2, 3].map(scripted.textOf)).toEqual(['ab', 'cdefghi', 'jkl']);
    expect(slotsOf(scripted.context.passes)).toEqual(['01', '012', '012', '01', '01', '0', '0', '0']);
    expect(scripted.freed).toEqual([1, 3, 2]);
  });

  test('that end in the same step leave without a move', () => {
    const scripted = createScriptedLoop({ script: alphabet, parallel: 3 });
    scripted.context.copy = () => {
      throw new Error('nothing has to move');
    };
    for (const id of [1, 2, 3]) scripted.add(id, 'abc', { budget: 4 });
    scripted.run();
    expect([1, 2, 3].map(scripted.textOf)).toEqual(['defg', 'defg', 'defg']);
  });

  test('wait for a free slot, and clients take turns', () => {
    const scripted = createScriptedLoop({ script: answering({ 'x:': 'y' }), parallel: 1, sharesPrefixes: false });
    scripted.add(1, 'x:', { client: 'a' });
    scripted.add(2, 'x:', { client: 'a' });
    scripted.add(3, 'x:', { client: 'b' });
    scripted.run();
    const started = scripted.events.filter(({ type }) => type === 'started');
    expect(started).toMatchObject([{ id: 1 }, { id: 3 }, { id: 2 }]);
  });

  test('a long prompt does not stop a running answer', () => {
    const prompt = 'x'.repeat(500);
    const scripted = createScriptedLoop({ script: (text) => (text.startsWith('x') ? '' : alphabet(text)) });
    scripted.add(1, 'a', { budget: 20 });
    scripted.loop.step();
    scripted.add(2, prompt);
    scripted.run();
    const widths = scripted.context.passes.slice(1, 9).map((parts) => parts.map(({ text }) => text.length));
    expect(widths).toEqual([[1], [128], [1], [128], [1], [128], [1], [116]]);
  });

  test('a failed decode fails the requests of its pass, and no others', () => {
    const long = 'x'.repeat(100);
    const scripted = createScriptedLoop({
      script: answering({ 'one:': 'ab', 'two:': 'cd', [long]: 'never' }),
      onDecode(parts) {
        if (parts.some(({ text }) => text.startsWith('xx'))) throw new Error('llama_decode returned -3');
        return 'done';
      },
    });
    scripted.add(1, 'one:');
    scripted.add(2, long);
    scripted.add(3, 'two:');
    scripted.run();
    const failed = scripted.events.filter(({ type }) => type === 'failed');
    expect(failed).toEqual([{ type: 'failed', id: 2, code: 'request_failed', message: 'llama_decode returned -3' }]);
    expect([1, 2, 3].map(scripted.textOf)).toEqual(['ab', '', 'cd']);
    expect(scripted.freed.toSorted()).toEqual([1, 2, 3]);
  });

  test('a full KV cache is a failure too', () => {
    const scripted = createScriptedLoop({ script: alphabet, onDecode: () => 'full' });
    scripted.add(1, 'a');
    scripted.run();
    expect(scripted.events.at(-1)).toMatchObject({ type: 'failed', id: 1, message: 'the KV cache is full' });
  });
});

describe('adapters', () => {
  const pirate = { key: '1', scales: [1] };
  const plain = { key: '0', scales: [0] };

  test('requests with the same adapters share passes, others do not', () => {
    const script = (text: string): string => (text.length < 6 ? text.slice(0, 1) : '');
    const scripted = createScriptedLoop({ script });
    scripted.add(1, 'pp', { adapters: pirate });
    scripted.add(2, '--', { adapters: plain });
    scripted.add(3, 'ppp', { adapters: pirate });
    scripted.run();
    expect([1, 2, 3].map(scripted.textOf)).toEqual(['pppp', '----', 'ppp']);
    const passes = scripted.context.passes.map((parts) => parts.map(({ text }) => text).join(''));
    passes.forEach((text, index) => {
      expect(text).toMatch(scripted.adapterScales[index]?.[0] === 1 ? /^p+$/ : /^-+$/);
    });
    expect(passes[0]).toBe('ppppp');
  });

  test('what was evaluated with other adapters is not reused, neither from a live request nor from a finished one', () => {
    const prompt = `${'long '.repeat(30)}:`;
    const scripted = createScriptedLoop({ script: answering({ [prompt]: 'yes' }) });
    scripted.add(1, prompt, { adapters: pirate });
    scripted.loop.step();
    scripted.add(2, prompt, { adapters: plain });
    scripted.run();
    scripted.add(3, prompt, { adapters: { key: '0.5', scales: [0.5] } });
    scripted.add(4, prompt, { adapters: plain });
    scripted.run();
    const cached = scripted.events.flatMap((event) =>
      event.type === 'started' ? [[event.id, event.cachedTokens]] : [],
    );
    expect(Object.fromEntries(cached)).toEqual({ 1: 0, 2: 0, 3: 0, 4: prompt.length - 1 });
  });
});

describe('cancel', () => {
  test('removes a waiting request', () => {
    const scripted = createScriptedLoop({ script: answering({ 'x:': 'yes' }), parallel: 1 });
    scripted.add(1, 'x:');
    scripted.loop.step();
    scripted.add(2, 'x:');
    scripted.loop.cancel(2);
    scripted.run();
    expect(scripted.events.map((event) => ('id' in event ? event.id : 0))).toEqual([1, 1]);
    expect(scripted.freed).toEqual([2, 1]);
  });

  test('ends a running request without an event, and its slot is free', () => {
    const scripted = createScriptedLoop({ script: answering({ 'x:': 'yes', 'z:': 'no' }), parallel: 1 });
    scripted.add(1, 'x:');
    scripted.add(2, 'z:');
    scripted.loop.step();
    scripted.loop.step();
    scripted.loop.cancel(1);
    scripted.run();
    expect(scripted.events).toMatchObject([
      { type: 'started', id: 1 },
      { type: 'started', id: 2 },
      { type: 'done', id: 2 },
    ]);
    expect(scripted.textOf(2)).toBe('no');
  });

  test('ignores an unknown request', () => {
    const scripted = createScriptedLoop({ script: alphabet });
    scripted.loop.cancel(9);
    expect(scripted.loop.step()).toBe(false);
  });
});

describe('a pass that a GPU still computes', () => {
  const script = answering({
    'one:': 'ab',
    'two:': 'cdefghi',
    'three:': 'jkl',
    'again:': 'n'.repeat(100),
    [`${'x'.repeat(90)}:`]: 'yz',
  });
  const prompts = ['one:', 'two:', 'three:', `${'x'.repeat(90)}:`];

  test.each([
    ['answers', (scripted: ScriptedLoop) => prompts.forEach((prompt, id) => void scripted.add(id, prompt))],
    [
      'a request that joins',
      (scripted: ScriptedLoop) => {
        scripted.add(1, 'one:');
        scripted.loop.step();
        scripted.add(2, 'two:');
      },
    ],
    [
      'an image',
      (scripted: ScriptedLoop) => {
        const image = scripted.context.image(2);
        scripted.add(1, '', {
          tokens: [...image.tokens, ...Buffer.from('a')],
          images: [{ start: 0, image }],
          budget: 3,
        });
        scripted.add(2, 'b', { budget: 5 });
      },
    ],
    ['a context shift', (scripted: ScriptedLoop) => void scripted.add(1, 'abc', { budget: 40 })],
    [
      'stop sequences',
      (scripted: ScriptedLoop) => {
        scripted.add(1, 'two:', { stop: ['ef'], wantContext: true });
        scripted.add(2, 'three:', { stop: ['k'] });
        scripted.add(3, 'one:');
      },
    ],
    [
      'stop sequences, adapters of their own',
      (scripted: ScriptedLoop) => {
        scripted.add(1, 'two:', { adapters: { key: 'a', scales: [1] }, stop: ['ef'] });
        scripted.add(2, 'three:', { adapters: { key: 'b', scales: [2] }, stop: ['k'] });
        scripted.add(3, 'two:', { adapters: { key: 'c', scales: [3] }, stop: ['d'] });
      },
    ],
    [
      'stop sequences, more requests than slots',
      (scripted: ScriptedLoop) =>
        Array.from({ length: 10 }, (_, id) => scripted.add(id, 'two:', { stop: ['fg'], client: String(id % 3) })),
    ],
    ['repetition', (scripted: ScriptedLoop) => void scripted.add(1, 'again:')],
    [
      'a full context, and a stop sequence with its last token',
      (scripted: ScriptedLoop) => {
        scripted.add(1, 'abcdefghijkl', { shift: false });
        scripted.add(2, 'abcdefghijkl', { shift: false, stop: ['opq'] });
      },
    ],
  ])('changes nothing: %s', (name, arrange) => {
    const [plain, ahead] = [false, true].map((hasDeviceMemory) => {
      const isFull = name.startsWith('a full context') || name === 'a context shift';
      const endless = name === 'an image' || isFull;
      const scripted = createScriptedLoop({
        script: endless ? (text) => alphabet(text.replaceAll('\u0002', 'a')) : script,
        ...(isFull ? { contextLength: 16 } : {}),
        hasDeviceMemory,
      });
      arrange(scripted);
      scripted.run();
      return scripted;
    }) as [ScriptedLoop, ScriptedLoop];
    const ids = Array.from({ length: 10 }, (_, id) => id);
    expect(ids.map(ahead.textOf)).toEqual(ids.map(plain.textOf));
    expect(ids.map(ahead.textOf).join('')).not.toBe('');
    const finals = ({ events }: ScriptedLoop) =>
      ids.map((id) => events.filter((event) => event.type === 'done' && event.id === id).map(withoutTimes));
    expect(finals(ahead)).toEqual(finals(plain));
    expect([...ahead.freed].sort()).toEqual([...plain.freed].sort());
  });

  test('begins after the first text of an answer was sent, and before the others are', () => {
    const seen: string[] = [];
    const scripted: ScriptedLoop = createScriptedLoop({
      script,
      hasDeviceMemory: true,
      onDecode: () => {
        seen.push(scripted.textOf(1));
        return 'done';
      },
    });
    scripted.add(1, 'two:');
    scripted.run();
    expect(seen.slice(0, 5)).toEqual(['', 'c', 'c', 'cd', 'cde']);
  });

  test('does not delay the text of the pass before', () => {
    const scripted = createScriptedLoop({ script: alphabet, hasDeviceMemory: true });
    scripted.add(1, 'a', { budget: 5 });
    scripted.loop.step();
    expect([scripted.context.passes.length, scripted.textOf(1)]).toEqual([1, '']);
    scripted.loop.step();
    expect([scripted.context.passes.length, scripted.textOf(1)]).toEqual([2, 'b']);
  });

  test('can lose a request, and all of them', () => {
    const scripted = createScriptedLoop({ script: alphabet, hasDeviceMemory: true });
    scripted.add(1, 'a', { budget: 6 });
    scripted.add(2, 'f', { budget: 6 });
    scripted.loop.step();
    scripted.loop.step();
    scripted.loop.cancel(1);
    scripted.loop.step();
    expect(scripted.textOf(2)).toBe('gh');
    scripted.loop.cancel(2);
    scripted.add(3, 'm', { budget: 2 });
    scripted.run();
    expect([1, 3].map(scripted.textOf)).toEqual(['b', 'no']);
    expect(scripted.freed).toEqual([1, 2, 3]);
  });
});

function withoutTimes(event: object): object {
  return { ...event, promptNanoseconds: 0, generateNanoseconds: 0 };
}

test('prompts that arrive together get slots by length on a GPU, where adjacent ones of equal lengths share a pass', () => {
  const scripted = createScriptedLoop({ script: alphabet, hasDeviceMemory: true, copiesOnDevice: true });
  for (const [id, prompt] of ['aaa', 'a', 'aa'].entries()) scripted.add(id, prompt, { budget: 2 });
  scripted.run();
  expect(scripted.context.passes[0]).toEqual([
    { slot: 0, text: 'a' },
    { slot: 1, text: 'aa' },
    { slot: 2, text: 'aaa' },
  ]);
});
