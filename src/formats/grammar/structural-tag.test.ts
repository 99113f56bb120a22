import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../test/support/grammar/gbnf.ts';
import { structureToGrammar } from './structural-tag.ts';

const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const call = (name: string) => ({
  begin: `<f=${name}>`,
  content: { type: 'json_schema', json_schema: number },
  end: '</f>',
});
const triggered = { type: 'triggered_tags', triggers: ['<f='], tags: [call('a'), call('b')] };

const accepts = (format: object, texts: readonly string[]): readonly boolean[] => {
  const grammar = parseGbnf(structureToGrammar({ type: 'structural_tag', format }).grammar);
  return texts.map((text) => grammar.matches(text));
};

describe('formats', () => {
  test.each<[format: object, accepted: readonly string[], refused: readonly string[]]>([
    [
      triggered,
      ['', 'Hello < f=', '<f=a>{"n":1}</f>', 'x<<f=b>{"n":1}</f> and <f=a>{"n":2}</f>.'],
      ['<f=c>{"n":1}</f>', '<f=a>{"n":"1"}</f>', '<f=a>{"n":1}', 'see <f='],
    ],
    [{ ...triggered, at_least_one: true }, ['<f=a>{"n":1}</f>', '<f=a>{"n":1}</f>!'], ['', 'a <f=a>{"n":1}</f>']],
    [{ ...triggered, stop_after_first: true }, ['hi', 'hi <f=a>{"n":1}</f>'], ['<f=a>{"n":1}</f>!']],
    [{ ...triggered, excludes: ['no'] }, ['yes n', 'o'], ['a no']],
    [
      { type: 'tag', begin: '<think>', content: { type: 'any_text' }, end: ['</think>', '<end>'] },
      ['<think></think>', '<think>a < b<end>'],
      ['<think>', '<think></think> x', 'x'],
    ],
    [{ type: 'tag', begin: '[', content: triggered, end: ']' }, ['[]', '[a<f=a>{"n":1}</f>b]'], ['[a', '[<f=]']],
    [
      {
        type: 'sequence',
        elements: [
          { type: 'const_string', value: 'a: ' },
          { type: 'regex', pattern: '[0-9]{2}' },
        ],
      },
      ['a: 12'],
      ['a: 1', 'a: 123'],
    ],
    [
      {
        type: 'or',
        elements: [
          { type: 'const_string', value: 'yes' },
          { type: 'json_schema', json_schema: number },
        ],
      },
      ['yes', '{"n":1}'],
      ['no'],
    ],
    [{ type: 'grammar', grammar: 'root ::= x x\nx ::= [ab]' }, ['ab'], ['a', 'abc']],
    [
      { type: 'tags_with_separator', tags: [call('a')], separator: ';' },
      ['', '<f=a>{"n":1}</f>;<f=a>{"n":2}</f>'],
      ['<f=a>{"n":1}</f><f=a>{"n":2}</f>', ';'],
    ],
    [{ type: 'plus', content: { type: 'const_string', value: 'ab' } }, ['ab', 'abab'], ['', 'aba']],
  ])('%j', (format, accepted, refused) => {
    expect(accepts(format, accepted)).toEqual(accepted.map(() => true));
    expect(accepts(format, refused)).toEqual(refused.map(() => false));
  });

  test('the older form', () => {
    const structures = [{ begin: '<f=a>', schema: number, end: '</f>' }];
    const grammar = parseGbnf(structureToGrammar({ type: 'structural_tag', structures, triggers: ['<f='] }).grammar);
    expect(grammar.matches('ok <f=a>{"n":1}</f> ok')).toBe(true);
    expect(grammar.matches('ok <f=a>{"m":1}</f> ok')).toBe(false);
  });
});

test('references stay within their schema, and unenforced keywords have their path', () => {
  const item = (type: string) => ({
    $ref: '#/$defs/x',
    $defs: { x: { type: 'array', items: { type }, uniqueItems: true } },
  });
  const tag = (begin: string, type: string) => ({
    begin,
    content: { type: 'json_schema', json_schema: item(type) },
    end: '.',
  });
  const format = { type: 'tags_with_separator', tags: [tag('a', 'integer'), tag('b', 'string')], separator: ' ' };
  const { grammar, unenforced } = structureToGrammar({ format });
  expect(['a[1].', 'b["x"].', 'a["x"].'].map(parseGbnf(grammar).matches)).toEqual([true, true, false]);
  expect(unenforced).toEqual([
    'format.tags[0].content.json_schema.$defs.x.uniqueItems',
    'format.tags[1].content.json_schema.$defs.x.uniqueItems',
  ]);
});

test.each<[object, string]>([
  [{}, 'format: format must be an object'],
  [{ format: { type: 'token' } }, 'format: format.type "token" is not supported'],
  [{ format: { ...triggered, triggers: ['<g='] } }, 'format: format.tags has no tag that begins with "<g="'],
  [
    { format: { ...triggered, tags: [call('a'), { ...call('b'), begin: '[b]' }] } },
    'format: format.tags has a tag that begins with none',
  ],
  [{ format: { ...triggered, tags: [] } }, 'format: format.tags must be a list'],
  [{ structures: [{ begin: 1, schema: {}, end: '' }], triggers: ['a'] }, 'format: tags has no tag'],
  [
    { format: { type: 'tag', begin: 'a', content: { type: 'regex', pattern: '(' }, end: '' } },
    'format: format.content.pattern',
  ],
  [{ format: { type: 'grammar', grammar: 'root ::= (' } }, 'line 1, column 11'],
])('%j is refused', (tag, message) => {
  expect(() => structureToGrammar(tag)).toThrow(message);
});

describe('hostile tags do not hold the thread', () => {
  const many = (length: number, from = 0x4e00): string =>
    Array.from({ length }, (_, index) => String.fromCodePoint(from + index)).join('');
  const tag = (begin: string) => ({ begin, content: { type: 'any_text' }, end: 'x' });
  test.each<[string, object]>([
    ['a long trigger', { triggers: [many(1000)], tags: [tag(many(1000))] }],
    ['a long end', { triggers: ['a'], tags: [{ ...tag('a'), end: 'a'.repeat(3900) + many(100) }] }],
    ['many tags and triggers', { triggers: Array(100).fill('a'), tags: Array(4000).fill(tag('a')) }],
  ])('%s', (_, parts) => {
    const format = { type: 'triggered_tags', ...parts };
    expect(() => structureToGrammar({ type: 'structural_tag', format })).toThrow('is too complex to convert');
  });
});
