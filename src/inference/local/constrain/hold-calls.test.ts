import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import { createComputeHere } from '../../../../test/support/service-fixture.ts';
import { HearthError } from '../../../base/errors.ts';
import { jinjaCallSyntax } from '../../../formats/chat/detect-call-syntax.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import { createGrammars, type HeldCalls, holdCalls, offeredTools } from './hold-calls.ts';

const tool = (name: string, parameters: unknown): Tool => ({ name, description: '', parameters });
const city = { type: 'object', properties: { city: { enum: ['Oslo', 'Rome'] } }, required: ['city'] };
const tools = [tool('weather', city), tool('time', { type: 'object', properties: {} })];
const { layout } = jinjaCallSyntax('<tool_call>');

describe('the tools in the prompt', () => {
  test('are all, none, or the one that must be called', () => {
    expect(offeredTools(tools, 'auto')).toBe(tools);
    expect(offeredTools(tools, 'required')).toBe(tools);
    expect(offeredTools(tools, 'none')).toEqual([]);
    expect(offeredTools(tools, { name: 'time' })).toEqual([tools[1]]);
    expect(() => offeredTools(tools, { name: 'nothing' })).toThrow('there is no tool "nothing"');
    expect(() => offeredTools([], 'required')).toThrow('there are no tools');
  });
});

describe('calls are held', () => {
  const grammars = createGrammars(createComputeHere());
  const hold = (calls: Partial<HeldCalls>) =>
    holdCalls(grammars, { tools, layout, parallel: true, choice: 'auto', ...calls });

  test('from the start of the answer if one is required', async () => {
    for (const choice of ['required', { name: 'time' }] as const) {
      const { grammar, lazyGrammar } = await hold({ choice });
      expect(lazyGrammar).toBeUndefined();
      const parsed = parseGbnf(grammar ?? '');
      expect(parsed.matches('<tool_call>\n{"name": "time", "arguments": {}}\n</tool_call>')).toBe(true);
      expect(parsed.matches('It is sunny.')).toBe(false);
    }
  });

  test('from the text on that begins a call if the model decides', async () => {
    const { grammar, lazyGrammar } = await hold({});
    expect(grammar).toBeUndefined();
    expect(lazyGrammar?.triggers).toEqual([{ text: '<tool_call>', atStart: false }]);
    expect(lazyGrammar?.grammar).toBe((await hold({ choice: 'required' })).grammar);
  });

  test('from the name of a tool on, if a call begins with it', async () => {
    const { layout: functionary } = jinjaCallSyntax('>>>all');
    const { lazyGrammar } = await hold({ layout: functionary });
    expect(lazyGrammar?.triggers).toEqual([
      { text: 'weather\n', atStart: true },
      { text: 'time\n', atStart: true },
    ]);
    const parsed = parseGbnf(lazyGrammar?.grammar ?? '');
    expect(parsed.matches('weather\n{"city": "Oslo"}>>>time\n{}')).toBe(true);
    for (const text of ['weather{"city": "Oslo"}', 'weather\n{"city": "Bern"}', 'all\nYes.'])
      expect(parsed.matches(text)).toBe(false);
  });

  test('not without tools, nor without a text that begins a call', async () => {
    expect(await hold({ tools: [] })).toEqual({});
    expect(await hold({ choice: 'none' })).toEqual({});
    expect(await hold({ layout: { ...layout, triggers: [] } })).toEqual({});
  });

  test('a set of tools that is too large for a grammar is refused only if a call is required', async () => {
    const many = Array.from({ length: 30_000 }, (_, index) => tool(`tool_${index}`, city));
    expect(await hold({ tools: many })).toEqual({});
    await expect(hold({ tools: many, choice: 'required' })).rejects.toThrow('format: the schema');
  });

  test('a schema that is too large is not looked at', async () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = { items: deep };
    const { grammar } = await hold({ tools: [tool('odd', deep)], choice: 'required' });
    expect(parseGbnf(grammar ?? '').matches('<tool_call>{"name": "odd", "arguments": {"a": [1]}}</tool_call>')).toBe(
      true,
    );
  });

  test('a server without time for the conversion still answers, unless a call is required', async () => {
    const busy = { ofCalls: () => Promise.reject(new HearthError('busy', 'too slow')) };
    expect(await holdCalls(busy, { tools, layout, parallel: true, choice: 'auto' })).toEqual({});
    await expect(holdCalls(busy, { tools, layout, parallel: true, choice: 'required' })).rejects.toThrow('too slow');
  });
});
