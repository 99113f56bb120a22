import { describe, expect, test } from 'vitest';
import type { ThinkOption } from '../../../models/think.ts';
import type { Message } from '../message.ts';
import { templateParser } from './message-sections.ts';

const tools = [{ name: 'weather', description: '' }];

/** Reads an answer whole and character by character. */
function read(template: string, text: string, think: ThinkOption, lastMessage?: Message) {
  const results = [[text], [...text]].map((pieces) => {
    const parser = templateParser(template)?.open({ tools, think, lastMessage });
    const parts = [...pieces.map((piece) => parser?.push(piece)), parser?.finish({ isCut: false })];
    return {
      thinking: parts.map((part) => part?.thinking).join(''),
      content: parts.map((part) => part?.content).join(''),
      calls: parts.flatMap((part) => part?.calls ?? []),
    };
  });
  expect(results[1]).toEqual(results[0]);
  return results[0];
}

describe('Kimi K3', () => {
  const kimi = '<|open|><|close|><|sep|><|end_of_msg|>';
  const call = (body: string): string =>
    `<|open|>tools<|sep|><|open|>call tool="weather" index="1"<|sep|>${body}<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>`;

  test('thinking, content and a call', () => {
    const text = `Hm.<|close|>think<|sep|><|open|>response<|sep|>The response.<|close|>response<|sep|>${call(
      '<|open|>argument key="city" type="string"<|sep|>5<|close|>argument<|sep|><|open|>argument key="days" type="number"<|sep|>5<|close|>argument<|sep|>',
    )}`;
    expect(read(kimi, text, true)).toEqual({
      thinking: 'Hm.',
      content: 'The response.',
      calls: [{ name: 'weather', arguments: { city: '5', days: 5 } }],
    });
  });

  test('thinking without an end tag', () => {
    expect(read(kimi, 'Hm.<|open|>response<|sep|>Yes.', 'low')).toEqual({
      thinking: 'Hm.',
      content: 'Yes.',
      calls: [],
    });
    expect(read(kimi, 'Hm.', true)?.thinking).toBe('Hm.');
  });

  test('content only, also as the rest of an answer', () => {
    const text = 'Yes.<|close|>response<|sep|><|close|>message<|sep|>';
    expect(read(kimi, text, false)?.content).toBe('Yes.');
    expect(read(kimi, text, true, { role: 'assistant', content: 'Oh' })?.content).toBe('Yes.');
  });

  test('arguments as one object, and escaped keys', () => {
    const object = call('<|open|>json type="object"<|sep|>{"a": [1]}<|close|>json<|sep|>');
    expect(read(kimi, object, false)?.calls).toEqual([{ name: 'weather', arguments: { a: [1] } }]);
    const escaped = call(
      '<|open|>argument key="a &quot;b&quot; &amp;amp;" type="null"<|sep|>null<|close|>argument<|sep|>',
    );
    expect(read(kimi, escaped, false)?.calls).toEqual([{ name: 'weather', arguments: { 'a "b" &amp;': null } }]);
    const broken = call('<|open|>json type="object"<|sep|>{"a"<|close|>json<|sep|>');
    expect(read(kimi, broken, false)?.calls).toEqual([]);
  });
});

describe('Solar', () => {
  const solar = '<|tool_call:begin|><|tool_call:args|>';

  test('thinking and content', () => {
    expect(read(solar, '<|think|>Hm.<|end|><|begin|>assistant<|content|>Yes.<|end|>', true)).toEqual({
      thinking: 'Hm.',
      content: 'Yes.',
      calls: [],
    });
    expect(read(solar, '<|content|>Yes.', false)?.content).toBe('Yes.');
    expect(read(solar, 'es.', false, { role: 'assistant', content: 'Y' })?.content).toBe('es.');
  });

  test('calls after thinking', () => {
    const text =
      '<|think|>Hm.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>weather<|tool_call:args|>{"city": "<|end|>"}<|tool_call:end|><|tool_call:begin|>a1b2c3d4e6<|tool_call:name|>weather<|tool_call:args|><|tool_call:end|><|calls|>';
    expect(read(solar, text, true)).toEqual({
      thinking: 'Hm.',
      content: '',
      calls: [
        { name: 'weather', arguments: { city: '<|end|>' } },
        { name: 'weather', arguments: {} },
      ],
    });
  });
});

test('Glimmer is found by its template, too', () => {
  const text =
    ' to=self<|message|>Hm.<|eom|><|start|>assistant to=weather<|message|><atem:function_calls>\n<atem:invoke name="weather">\n<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls>';
  expect(read('<atem:invoke name="', text, true)).toEqual({
    thinking: 'Hm.',
    content: '',
    calls: [{ name: 'weather', arguments: { city: 'Paris' } }],
  });
});

test('other templates have no parser of their own', () => {
  expect(templateParser('<tool_call>')).toBeUndefined();
});

describe('Functionary 3.2', () => {
  const template = "{{ '>>>all' }}";
  const call = { name: 'weather', arguments: { city: 'a >>>all\n"b"', days: 3 } };
  const written = `weather\n${JSON.stringify(call.arguments)}`;

  test.each([
    ['content', 'all\nYes.', { content: 'Yes.', calls: [] }],
    ['a call', written, { content: '', calls: [call] }],
    ['several calls', `${written}>>>${written}\n`, { content: '', calls: [call, call] }],
    ['content and a call', `all\nSo.>>>${written}`, { content: 'So.', calls: [call] }],
    ['a call and content', `${written}>>>all\nSo.`, { content: 'So.', calls: [call] }],
    ['no recipient', 'Yes.\n>>> print(1)', { content: 'Yes.\n>>> print(1)', calls: [] }],
    ['an unknown recipient', 'time\n{}', { content: 'time\n{}', calls: [] }],
    ['arguments that are no JSON', 'weather\nis fine', { content: 'weather\nis fine', calls: [] }],
  ])('%s', (_, text, expected) => {
    expect(read(template, text, false)).toEqual({ thinking: '', ...expected });
  });

  test('the rest of an answer is content', () => {
    expect(read(template, 'all\nYes.', false, { role: 'assistant', content: 'Say ' })?.content).toBe('all\nYes.');
  });
});
