import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallTexts } from './call-syntax.ts';
import type { ToolCall, ToolOutput } from './tool-call.ts';
import { createToolCallParser } from './tool-call-parser.ts';

const tools = ['get_weather', 'get_weather_now', 'f'].map((name) => ({ name }));
const keys = { nameKey: 'name', argumentsKey: 'arguments' };
const hermes: CallTexts = { tag: '<tool_call>', ...keys, endTag: '</tool_call>' };
const mistral: CallTexts = { tag: '[TOOL_CALLS] [', ...keys };
const llama: CallTexts = { tag: '{', nameKey: 'name', argumentsKey: 'parameters' };
const python: CallTexts = { tag: '<|python_tag|>', ...keys };
const command: CallTexts = { tag: 'Action: ```json', nameKey: 'tool_name', argumentsKey: 'parameters', endTag: '```' };

const mark = ']<]minimax[>[';
const paris: ToolCall = { name: 'get_weather', arguments: { city: 'Paris' } };
const one: ToolCall = { name: 'f', arguments: { x: 1 } };
const parisJson = '{"name": "get_weather", "arguments": {"city": "Paris"}}';
const oneJson = '{"name":"f","parameters":{"x":1}}';

function parse(pieces: readonly string[], syntax: CallTexts): ToolOutput {
  const parser = createToolCallParser({ syntax, tools });
  const outputs = [...pieces.map((piece) => parser.push(piece)), parser.finish()];
  return { content: outputs.map(({ content }) => content).join(''), calls: outputs.flatMap(({ calls }) => calls) };
}

interface Case {
  readonly syntax?: CallTexts;
  readonly text: string;
  readonly content?: string;
  readonly calls?: readonly ToolCall[];
}

const cases: Readonly<Record<string, Case>> = {
  'a tagged object': { text: `<tool_call>\n${parisJson}\n</tool_call>`, calls: [paris] },
  'without its end tag': { text: `<tool_call>${parisJson}`, calls: [paris] },
  'an extra end tag': { text: `<tool_call>${parisJson}</tool_call></tool_call>`, calls: [paris] },
  'two in tags': {
    text: `<tool_call>${parisJson}</tool_call>\n<tool_call>${oneJson}</tool_call>`,
    calls: [paris, one],
  },
  'two in one tag': { text: `<tool_call>${parisJson}\n${oneJson}</tool_call>`, calls: [paris, one] },
  'a list in a tag': { text: `<tool_call>[${parisJson}, ${oneJson}]</tool_call>`, calls: [paris, one] },
  'a fence in a tag': { text: `<tool_call>\n\`\`\`json\n${parisJson}\n\`\`\`\n</tool_call>`, calls: [paris] },
  'a pythonic call in a tag': { text: '<tool_call>get_weather(city="Paris")</tool_call>', calls: [paris] },
  'a value in quotes of its own': {
    text: '<function name="get_weather"><param name="city"><![CDATA[<b>\n</param>]]></param><param name="x">1</param></function>',
    calls: [{ name: 'get_weather', arguments: { city: '<b>\n</param>', x: 1 } }],
  },
  'a value with half a quote': {
    text: '<function name="f"><param name="city"><![CDAT]]></param></function>',
    calls: [{ name: 'f', arguments: { city: '<![CDAT]]>' } }],
  },
  'elements of values': {
    text: `${mark}<tool_call>\n${mark}<invoke name="f">${mark}<a>${mark}<item>${mark}<b>1${mark}</b>${mark}</item>${mark}<item>x${mark}</item>${mark}</a>${mark}</invoke>\n${mark}</tool_call>`,
    calls: [{ name: 'f', arguments: { a: [{ b: 1 }, 'x'] } }],
  },
  'elements that are not closed': {
    text: `So. ${mark}<tool_call>${mark}<invoke name="f">${mark}<a>1${mark}</invoke>`,
    content: `So. ${mark}<tool_call>${mark}<invoke name="f">${mark}<a>1${mark}</invoke>`,
  },
  'too many levels of elements': {
    text: `${mark}<tool_call>${mark}<invoke name="f">${`${mark}<a>`.repeat(40)}${mark}</invoke>`,
    content: `${mark}<tool_call>${mark}<invoke name="f">${`${mark}<a>`.repeat(40)}${mark}</invoke>`,
  },
  "Mistral's list": { syntax: mistral, text: `[TOOL_CALLS] [${parisJson}, ${oneJson}]`, calls: [paris, one] },
  "Mistral's name": { syntax: mistral, text: '[TOOL_CALLS]get_weather{"city":"Paris"}', calls: [paris] },
  "Mistral's two names": {
    syntax: mistral,
    text: '[TOOL_CALLS]get_weather[ARGS]{"city":"Paris"}[TOOL_CALLS]f[CALL_ID]a1-B[ARGS]{"x": 1}',
    calls: [paris, one],
  },
  "Llama's object": { syntax: llama, text: oneJson, calls: [one] },
  "Llama's two objects": { syntax: llama, text: `${oneJson}; ${parisJson}`, calls: [one, paris] },
  'two objects on two lines': { syntax: llama, text: `\n${oneJson}\n${parisJson}\n`, calls: [one, paris] },
  "Llama's python tag": { syntax: python, text: `<|python_tag|>${oneJson}`, calls: [one] },
  'pythonic after the python tag': { syntax: python, text: '<|python_tag|>f(x=1); f(x=1)', calls: [one, one] },
  "Llama's built-in tools": { syntax: python, text: '<|python_tag|>f.call(x=1)', calls: [one] },
  "Llama's function tag": { syntax: llama, text: '<function=get_weather>{"city": "Paris"}</function>', calls: [paris] },
  'a pythonic list': { syntax: llama, text: '[get_weather(city="Paris"), f(x=1)]', calls: [paris, one] },
  'no arguments': { syntax: llama, text: '[f(), f( )]', calls: [0, 1].map(() => ({ name: 'f', arguments: {} })) },
  'a longer name': {
    syntax: python,
    text: '<|python_tag|>get_weather_now(city="Paris")',
    calls: [{ ...paris, name: 'get_weather_now' }],
  },
  'a bare list': { syntax: llama, text: `[${parisJson}, ${oneJson}]`, calls: [paris, one] },
  'a fenced object': { syntax: llama, text: `\`\`\`json\n${parisJson}\n\`\`\``, calls: [paris] },
  'a fence without a language': { syntax: llama, text: `\`\`\`\n${parisJson}\n\`\`\`\n`, calls: [paris] },
  'a fence after prose': {
    syntax: llama,
    text: `So:\n\`\`\`json\n${parisJson}\n\`\`\`\nDone.`,
    content: 'So:\nDone.',
    calls: [paris],
  },
  'keys of its own': {
    syntax: command,
    text: 'Action: ```json\n[{"tool_name": "f", "parameters": {"x": 1}}]\n```',
    calls: [one],
  },
  'a tag of another model': {
    syntax: llama,
    text: `Hm. <tool_call>${oneJson}</tool_call>`,
    content: 'Hm.',
    calls: [one],
  },
  'no opening tag after prose': {
    text: `{...}}\n\n${parisJson}\n</tool_call> So.`,
    content: '{...}}\n\nSo.',
    calls: [paris],
  },
  'two without an opening tag': {
    text: `Hm.\n${parisJson}\n${oneJson}</tool_call>`,
    content: 'Hm.',
    calls: [paris, one],
  },
  'no opening tag, and a call with one': {
    text: `Hm.\n${parisJson}\n<tool_call>${oneJson}</tool_call>`,
    content: `Hm.\n${parisJson}`,
    calls: [one],
  },
  'no tag at all': { text: parisJson, calls: [paris] },
  'prose around a call': {
    text: `Let me see.\n\n<tool_call>${oneJson}</tool_call>\n\nThat is it.\n`,
    content: 'Let me see.\n\nThat is it.\n',
    calls: [one],
  },
  'prose close to a call': { text: `a<tool_call>${oneJson}</tool_call> b`, content: 'a b', calls: [one] },
  'prose only after a call': { text: `<tool_call>${oneJson}</tool_call> b`, content: 'b', calls: [one] },
  'a broken call after a good one': {
    text: `<tool_call>${oneJson}</tool_call>\n<tool_call>{"name": "f", `,
    content: '<tool_call>{"name": "f", ',
    calls: [one],
  },
  'a valid call after an invalid one': {
    text: `<tool_call>{"name": f}</tool_call>\n<tool_call>${oneJson}</tool_call>`,
    content: '<tool_call>{"name": f}</tool_call>',
    calls: [one],
  },
  'a valid call after an unterminated string': {
    text: `<tool_call>{"name": "f</tool_call>\n<tool_call>${oneJson}</tool_call>`,
    content: '<tool_call>{"name": "f</tool_call>',
    calls: [one],
  },
  'an extra brace': { text: `<tool_call>${oneJson}}</tool_call>`, calls: [one] },
  'half an end tag': { text: `<tool_call>${oneJson}</tool_c`, calls: [one] },
  "the end of Mistral's list": { syntax: mistral, text: `[TOOL_CALLS][${oneJson}][/TOOL_CALLS]`, calls: [one] },
  'a fence without an opening one': { text: `<tool_call>${oneJson}</tool_call>\n\`\`\`\n`, calls: [one] },
  'two extra brackets': { text: `<tool_call>${oneJson}}]\n</tool_call> So.`, content: 'So.', calls: [one] },
  'a fence with code': {
    text: `<tool_call>${oneJson}</tool_call>\n\`\`\`py\nx\n\`\`\``,
    content: '```py\nx\n```',
    calls: [one],
  },
  'the tool as a key': { syntax: llama, text: '{"f": {"x": 1}}', calls: [one] },
  'a list that is cut off': { syntax: llama, text: `[${oneJson}, {"name"`, content: ', {"name"', calls: [one] },
};

const contents: Readonly<Record<string, Case>> = {
  'half a tag': { text: 'a <tool_ca' },
  'a tag alone': { text: ' <tool_call>\n' },
  'text about tags': { text: 'Write <tool_call> and </tool_call>, or [TOOL_CALLS] f or so.' },
  'an object after prose': { syntax: llama, text: `Look: ${oneJson}` },
  'an object on a line of its own': { text: `Look:\n${parisJson}\nIs it not?` },
  'an object at the end': { text: `Look:\n${parisJson}\n</tool` },
  'an object of an unknown tool and an end tag': { text: 'Look:\n{"name": "g", "arguments": {}}\n</tool_call>' },
  'an object after a fence': { syntax: llama, text: `\`\`\`py\nx\n\`\`\`\n${oneJson}` },
  'an unknown tool': { text: '<tool_call>{"name": "g", "arguments": {}}</tool_call>' },
  'an unknown Python-style tool': { syntax: python, text: '<|python_tag|>print(x=1)' },
  'a longer name': { syntax: python, text: '<|python_tag|>get_weather_later(x=1)' },
  'positional arguments': { syntax: python, text: '<|python_tag|>f("Paris")' },
  'a Python-style call without a tag': { syntax: llama, text: 'f(x=1)' },
  'an extra comma': { text: '<tool_call>{"name": "f", "arguments": {"x": 1,}}</tool_call>' },
  'arguments that are not an object': { text: '<tool_call>{"name": "f", "arguments": [1]}</tool_call>' },
  'an answer in JSON': { syntax: llama, text: '{"city": "Paris", "name": "f", "arguments": {}}' },
  'a list in JSON': { syntax: llama, text: '[1, 2]' },
  'an empty list': { syntax: llama, text: '[]' },
  'a link': { syntax: llama, text: '[f](https://example.org)' },
  'a call that is cut off': { text: 'Hm.\n<tool_call>\n{"name": "f", "arguments": {"x": "a' },
  'a tool definition': { syntax: llama, text: '{"name": "f", "description": "d", "parameters": {"type": "object"}}' },
  'unterminated nesting': { text: `<tool_call>{"name": "f", "arguments": ${'{"a":'.repeat(5000)}` },
  'nesting too deep': {
    text: `<tool_call>{"name": "f", "arguments": ${'{"a":'.repeat(200)}1${'}'.repeat(200)}}</tool_call>`,
  },
  'many openings': { syntax: llama, text: '[[[[[[[[[[[[[[[[' },
};

const all = [...Object.entries(cases), ...Object.entries(contents)];

describe('calls and the text around them', () => {
  test.each(Object.entries(cases))('%s', (_, { syntax = hermes, text, content = '', calls = [] }) => {
    expect(parse([text], syntax)).toEqual({ content, calls });
  });
});

describe('text that is not a call stays unchanged', () => {
  test.each(Object.entries(contents))('%s', (_, { syntax = hermes, text }) => {
    expect(parse([text], syntax)).toEqual({ content: text, calls: [] });
  });
});

describe('an answer that reached its limit', () => {
  const parseCut = (text: string) => {
    const parser = createToolCallParser({ syntax: hermes, tools });
    const [first, last] = [parser.push(text), parser.finish({ isCut: true })];
    return { content: first.content + last.content, calls: [...first.calls, ...last.calls] };
  };

  test('loses the call that has begun, and keeps the text and the calls before it', () => {
    const begun = '<tool_call>\n{"name": "f", "arguments": {"x": "a';
    expect(parseCut(`Hm.\n${begun}`)).toEqual({ content: 'Hm.\n', calls: [] });
    expect(parseCut(`<tool_call>${oneJson}</tool_call>\n${begun}`)).toEqual({ content: '', calls: [one] });
  });

  test('keeps text that is not a call', () => {
    expect(parseCut('So:\n{"name": "Bo').content).toBe('So:\n{"name": "Bo');
    expect(parseCut('Once upon a time')).toEqual({ content: 'Once upon a time', calls: [] });
  });
});

describe('the result does not depend on the pieces', () => {
  test.each(all)('%s', (_, { syntax = hermes, text }) => {
    const expected = parse([text], syntax);
    expect(parse([...text], syntax)).toEqual(expected);
    for (let at = 1; at < Math.min(text.length, 300); at++)
      expect(parse([text.slice(0, at), text.slice(at)], syntax)).toEqual(expected);
  });

  const snippets = all.map(([, { text }]) => text).filter((text) => text.length < 300);
  const crumbs = ['<', '<tool_call>', '</tool_call>', '[TOOL_CALLS]', '```json\n', '```', '{', '}', '[', ']', '"', "'"];
  const part = fc.oneof(
    fc.constantFrom(...snippets),
    fc.constantFrom(...crumbs, ',', ';', ' ', '\n', '\\', 'f', 'get_weather', '(x=1)', parisJson, oneJson),
    fc.string({ maxLength: 5 }),
  );
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });
  const syntax = fc.constantFrom(hermes, mistral, llama, python, command);

  test('for any text', () => {
    fc.assert(
      fc.property(text, cuts, syntax, (answer, positions, one) => {
        const bounds = [0, ...positions.sort((a, b) => a - b), answer.length];
        const pieces = bounds.slice(1).map((end, index) => answer.slice(bounds[index], end));
        const expected = parse([answer], one);
        expect(parse(pieces, one)).toEqual(expected);
        expect(parse([...answer], one)).toEqual(expected);
        if (expected.calls.length === 0) expect(expected.content).toBe(answer);
      }),
      { numRuns: 1000 },
    );
  });

  test('without a known tool everything is content', () => {
    fc.assert(
      fc.property(text, syntax, (answer, one) => {
        const parser = createToolCallParser({ syntax: one, tools: [{ name: 'unknown tool' }] });
        expect([parser.push(answer), parser.finish()].map(({ content }) => content).join('')).toBe(answer);
      }),
    );
  });
});

test('text and calls keep their order', () => {
  const callTexts = [
    `<tool_call>\n${oneJson}\n</tool_call>`,
    `[TOOL_CALLS] [${oneJson}]`,
    '<|python_tag|>f(x=1)',
    '<function=f>{"x": 1}</function>',
    `\`\`\`json\n${oneJson}\n\`\`\``,
  ];
  const part = fc.oneof(fc.constantFrom(...callTexts), fc.constantFrom('so', 'I {guess}', '[it]', 'a < b', "isn't"));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), fc.constantFrom(' ', '\n\n'), (parts, gap) => {
      const words = parts.filter((text) => !callTexts.includes(text));
      const { content, calls } = parse([parts.join(gap)], hermes);
      expect(content).toBe(words.join(gap));
      expect(calls).toEqual(parts.filter((text) => callTexts.includes(text)).map(() => one));
    }),
  );
});

describe('text is sent as early as possible', () => {
  const parserOf = (syntax: CallTexts) => createToolCallParser({ syntax, tools });

  test('prose at once, except text that may become a tag', () => {
    const parser = parserOf(hermes);
    expect(parser.push('Let me').content).toBe('Let me');
    expect(parser.push(' see <to').content).toBe(' see');
    expect(parser.push('ast>').content).toBe(' <toast>');
  });

  test('a call with its last bracket', () => {
    const parser = parserOf(hermes);
    expect(parser.push(`<tool_call>${oneJson.slice(0, -1)}`)).toEqual({ content: '', calls: [] });
    expect(parser.push('}').calls).toEqual([one]);
    expect(parser.push('</tool_call>\n<tool_call>{"name":').calls).toEqual([]);
    expect(parser.finish()).toEqual({ content: '<tool_call>{"name":', calls: [] });
  });

  test.each([`[${oneJson}`, '[f(x=1)'])('the first call of a list before the second: %s', (text) => {
    expect(parserOf(llama).push(text).calls).toEqual([one]);
  });

  test('a JSON answer from its first key', () => {
    const parser = parserOf(llama);
    expect(parser.push('{"na').content).toBe('');
    expect(parser.push('tion": "France').content).toBe('{"nation": "France');
  });

  test('an invalid call at its first invalid character', () => {
    expect(parserOf(hermes).push('<tool_call>{"name": <').content).toBe('<tool_call>{"name":');
  });
});

test('long answers in small pieces', () => {
  const value = 'x'.repeat(300_000);
  const text = `<tool_call>{"name":"f","arguments":{"x":"${value}"}}</tool_call>${'<tool_call>{'.repeat(20_000)}`;
  const { content, calls } = parse([...text], hermes);
  expect(calls).toEqual([{ name: 'f', arguments: { x: value } }]);
  expect(content).toBe('<tool_call>{'.repeat(20_000));
});
