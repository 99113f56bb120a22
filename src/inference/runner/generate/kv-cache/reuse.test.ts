// Reuse of evaluated tokens in every kind of memory. The scripted context throws if a state is used at another token than
// its own.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createScriptedLoop, type ScriptedLoop } from '../../../../../test/support/runner/scripted-loop.ts';
import type { StartedEvent } from '../../../protocol/messages.ts';
import type { MemoryKind } from '../../llama/memory-kind.ts';

const kinds: readonly MemoryKind[] = ['attention', 'windowed', 'hybrid', 'recurrent', 'mixed'];

/** The next letter depends on the entire text. */
const script = (text: string): string => {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 9973;
  return String.fromCharCode(0x61 + (sum % 26));
};

const loopOf = (memory: MemoryKind, prefixCacheBytes = 10_000): ScriptedLoop =>
  createScriptedLoop({ script, memory, prefixCacheBytes, sharesPrefixes: prefixCacheBytes > 0, controls: '<' });

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

describe('answers are the same with and without a prefix cache', () => {
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

  test.each(kinds)('%s', (memory) => {
    fc.assert(
      fc.property(anyGroups, fc.constantFrom(300, 1000, 10_000), (groups, bytes) => {
        expect(answersTo(groups, loopOf(memory, bytes))).toEqual(answersTo(groups, loopOf(memory, 0)));
      }),
      { numRuns: 60 },
    );
  });
});
