// Reuse of evaluated tokens in every kind of memory. The scripted context throws if a state is used at another token than
// its own.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createScriptedLoop, type ScriptedLoop } from '../../../../../test/support/runner/scripted-loop.ts';
import { thoroughly } from '../../../../../test/support/thorough.ts';
import type { StartedEvent } from '../../../protocol/messages.ts';
import type { MemoryKind } from '../../llama/memory-kind.ts';

const kinds: readonly MemoryKind[] = ['attention', 'windowed', 'hybrid', 'recurrent', 'mixed'];

/** The next letter depends on the entire text. */
const script = (text: string): string => {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 9973;
  return String.fromCharCode(0x61 + (sum % 26));
};

const loopOf = (memory: MemoryKind, prefixCacheBytes = 10_000, onDevice = false): ScriptedLoop =>
  createScriptedLoop({
    script,
    memory,
    copiesOnDevice: onDevice,
    hasDeviceMemory: onDevice,
    prefixCacheBytes,
    sharesPrefixes: prefixCacheBytes > 0,
    controls: '<',
    contextLength: 2000,
  });

const startedOf = ({ events }: ScriptedLoop, id: number): StartedEvent =>
  events.find((event) => event.type === 'started' && event.id === id) as StartedEvent;

const system = `<${'s'.repeat(99)}`;
const ask = (question: string): string => `<${question}<a:`;

describe.each(kinds.filter((kind) => kind !== 'attention'))('%s', (memory) => {
  test('the next turn of a conversation evaluates only what is new', () => {
    const scripted = loopOf(memory);
    const first = system + ask('q'.repeat(40));
    scripted.add(1, first, { budget: 20 });
    scripted.run();
    const conversation = first + scripted.textOf(1);
    scripted.add(2, conversation + ask('r'.repeat(30)), { budget: 5 });
    scripted.run();
    // The last token of an answer is chosen but not evaluated.
    expect(startedOf(scripted, 2).cachedTokens).toBe(conversation.length - 1);
  });

  test('an answer that the client has changed costs only the answer', () => {
    const scripted = loopOf(memory);
    const first = system + ask('q'.repeat(40));
    scripted.add(1, first, { budget: 20 });
    scripted.run();
    scripted.add(2, `${first}changed${ask('r'.repeat(30))}`, { budget: 5 });
    scripted.run();
    expect(startedOf(scripted, 2).cachedTokens).toBe(first.length - '<a:'.length);
  });

  describe('after a turn that repeated the prompt before it', () => {
    const first = system + ask('q'.repeat(40));

    /** A loop that has answered two turns, and the conversation with both answers. */
    const afterTwoTurns = (): { readonly scripted: ScriptedLoop; readonly second: string; readonly answer: string } => {
      const scripted = loopOf(memory);
      scripted.add(1, first, { budget: 20 });
      scripted.run();
      const second = first + scripted.textOf(1) + ask('r'.repeat(80));
      scripted.add(2, second, { budget: 20 });
      scripted.run();
      return { scripted, second, answer: scripted.textOf(2) };
    };
    const cachedOf = (scripted: ScriptedLoop, prompt: string): number => {
      scripted.add(3, prompt, { budget: 5 });
      scripted.run();
      return startedOf(scripted, 3).cachedTokens;
    };

    test('the new part of a prompt takes one pass', () => {
      const { scripted, second, answer } = afterTwoTurns();
      const before = scripted.context.passes.length;
      const end = ask('s'.repeat(80));
      scripted.add(3, second + answer + end, { budget: 1 });
      scripted.run();
      expect(scripted.context.passes.slice(before).map((parts) => parts.map(({ text }) => text))).toEqual([
        [answer.slice(-1) + end],
      ]);
    });

    test('a changed answer costs the answer, without the header', () => {
      const { scripted, second } = afterTwoTurns();
      expect(cachedOf(scripted, `${second}changed${ask('s'.repeat(30))}`)).toBe(second.length);
    });

    test('a changed header costs at most the turn, and the next one nothing of it', () => {
      const { scripted, second } = afterTwoTurns();
      const changed = `${second.slice(0, -1)};changed`;
      const third = changed + ask('s'.repeat(70));
      const beforeTurn = first.length + scripted.textOf(1).length - 1;
      expect(cachedOf(scripted, third)).toBe(beforeTurn);
      scripted.add(4, `${third.slice(0, -1)};changed${ask('t'.repeat(30))}`, { budget: 5 });
      scripted.run();
      expect(startedOf(scripted, 4).cachedTokens).toBe(third.length - '<a:'.length);
    });

    test('a long turn has a mark at its header', () => {
      const { scripted, second, answer } = afterTwoTurns();
      const long = second + answer + ask('s'.repeat(1100));
      cachedOf(scripted, long);
      scripted.add(4, long, { budget: 5 });
      scripted.run();
      expect(startedOf(scripted, 4).cachedTokens).toBe(long.length - '<a:'.length);
    });

    test('the same prompt again costs at most the turn, and the second time its header', () => {
      const { scripted, second } = afterTwoTurns();
      expect(cachedOf(scripted, second)).toBe(first.length + scripted.textOf(1).length - 1);
      scripted.add(4, second, { budget: 5 });
      scripted.run();
      expect(startedOf(scripted, 4).cachedTokens).toBeGreaterThanOrEqual(second.length - '<a:'.length);
    });
  });

  test('another conversation shares the system message', () => {
    const scripted = loopOf(memory);
    scripted.add(1, system + ask('q'.repeat(40)), { budget: 5 });
    scripted.run();
    scripted.add(2, system + ask('r'.repeat(40)), { budget: 5 });
    scripted.run();
    // All messages begin with the same token.
    expect(startedOf(scripted, 2).cachedTokens).toBe(system.length);
  });

  test('prompts without messages share what they have in common from the third one on', () => {
    const scripted = loopOf(memory);
    for (const [index, end] of ['x', 'y', 'z'].entries()) {
      scripted.add(index + 1, 'p'.repeat(100) + end.repeat(30), { budget: 5 });
      scripted.run();
    }
    expect([1, 2, 3].map((id) => startedOf(scripted, id).cachedTokens)).toEqual([0, 0, 100]);
  });

  test('requests that arrive together evaluate a common start once', () => {
    const scripted = loopOf(memory);
    for (const id of [1, 2, 3]) scripted.add(id, system + ask(String(id).repeat(40)), { budget: 5 });
    scripted.run();
    expect([1, 2, 3].map((id) => startedOf(scripted, id).cachedTokens)).toEqual([
      0,
      system.length + 1,
      system.length + 1,
    ]);
  });

  test('the same prompt again evaluates only the start of the answer', () => {
    const scripted = loopOf(memory);
    for (const id of [1, 2]) {
      scripted.add(id, ask('q'.repeat(24)), { budget: 5 });
      scripted.run();
    }
    expect(startedOf(scripted, 2).cachedTokens).toBe(25);
  });
});

describe.each(kinds)('%s, on a GPU', (memory) => {
  test('the next turn of a conversation continues in its slot', () => {
    const scripted = loopOf(memory, 10_000, true);
    const first = system + ask('q'.repeat(40));
    scripted.add(1, first, { budget: 20 });
    scripted.run();
    const conversation = first + scripted.textOf(1);
    scripted.add(2, conversation + ask('r'.repeat(30)), { budget: 5 });
    scripted.run();
    expect(startedOf(scripted, 2).cachedTokens).toBe(conversation.length - 1);
  });

  test('requests that arrive together evaluate a common start once', () => {
    const scripted = loopOf(memory, 10_000, true);
    for (const id of [1, 2, 3]) scripted.add(id, system + ask(String(id).repeat(40)), { budget: 5 });
    scripted.run();
    const cached = [1, 2, 3].map((id) => startedOf(scripted, id).cachedTokens);
    // A windowed cache on a GPU has all its cells, and can be cut without a mark.
    expect(cached).toEqual([0, system.length + 1, system.length + 1]);
  });
});

describe.each([
  ['in main memory', false],
  ['on a GPU', true],
])('answers are the same with and without a prefix cache, %s', (_, onDevice) => {
  const anyTurn = fc.tuple(fc.constantFrom('q', 'r', '<s'), fc.integer({ min: 1, max: 70 }));
  const anyPrompt = fc.array(anyTurn, { minLength: 1, maxLength: 4 });
  // Requests in a group run at the same time.
  const anyGroups = fc.array(fc.array(anyPrompt, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
  type Groups = readonly (readonly (readonly (readonly [string, number])[])[])[];

  const answersTo = (groups: Groups, scripted: ScriptedLoop): string[] => {
    let id = 0;
    for (const group of groups) {
      for (const turns of group) {
        scripted.add(++id, `${turns.map(([text, count]) => `<${text.repeat(count)}`).join('')}<a:`, { budget: 12 });
      }
      scripted.run();
    }
    expect(scripted.events.filter(({ type }) => type === 'failed')).toEqual([]);
    return Array.from({ length: id }, (_, index) => scripted.textOf(index + 1));
  };

  type Rendering = 'same' | 'changed' | 'header changed';
  const anyConversation = fc.array(
    fc.tuple(fc.constantFrom<Rendering>('same', 'changed', 'header changed'), fc.integer({ min: 1, max: 90 })),
    { minLength: 1, maxLength: 8 },
  );

  /** Each turn sends the prompt before it and its answer, as a template may write them. */
  const converse = (turns: readonly (readonly [Rendering, number])[], scripted: ScriptedLoop): string[] => {
    const rendered: Record<Rendering, (prompt: string, answer: string) => string> = {
      same: (prompt, answer) => prompt + answer,
      changed: (prompt) => `${prompt}changed`,
      'header changed': (prompt, answer) => `${prompt.slice(0, -1)};${answer}`,
    };
    let prompt = system + ask('q');
    return turns.map(([rendering, length], id) => {
      scripted.add(id, prompt, { budget: 12 });
      scripted.run();
      const answer = scripted.textOf(id);
      prompt = rendered[rendering](prompt, answer) + ask('r'.repeat(length));
      return answer;
    });
  };

  test.each(kinds)('%s, turns of a conversation', (memory) => {
    fc.assert(
      fc.property(anyConversation, fc.constantFrom(1000, 10_000), (turns, bytes) => {
        expect(converse(turns, loopOf(memory, bytes, onDevice))).toEqual(converse(turns, loopOf(memory, 0)));
      }),
      { numRuns: thoroughly(25, 10) },
    );
  });

  test.each(kinds)('%s', (memory) => {
    fc.assert(
      fc.property(anyGroups, fc.constantFrom(300, 1000, 10_000), (groups, bytes) => {
        expect(answersTo(groups, loopOf(memory, bytes, onDevice))).toEqual(answersTo(groups, loopOf(memory, 0)));
      }),
      { numRuns: thoroughly(60, 25) },
    );
  });
});
