import { describe, expect, test } from 'vitest';
import { type ModelfileCommand, modelfileLimits } from './modelfile.ts';
import { parseModelfile } from './parse-modelfile.ts';

const from: ModelfileCommand = { kind: 'from', value: 'x' };

describe('instructions', () => {
  test.each<[string, ModelfileCommand]>([
    ['FROM ember:q8', { kind: 'from', value: 'ember:q8' }],
    ['FROM @sha256:0123', { kind: 'from', value: '@sha256:0123' }],
    ['FROM ./weights dir/x.gguf', { kind: 'from', value: './weights dir/x.gguf' }],
    ['FROM C:\\models\\x.gguf', { kind: 'from', value: 'C:\\models\\x.gguf' }],
    ['LICENSE MIT', { kind: 'license', value: 'MIT' }],
    ['TEMPLATE {{ .Prompt }}', { kind: 'template', value: '{{ .Prompt }}' }],
    ['SYSTEM You are # one', { kind: 'system', value: 'You are # one' }],
    ['ADAPTER ./a.gguf', { kind: 'adapter', value: './a.gguf' }],
    ['DRAFT small', { kind: 'draft', value: 'small' }],
    ['RENDERER qwen3', { kind: 'renderer', value: 'qwen3' }],
    ['PARSER qwen3', { kind: 'parser', value: 'qwen3' }],
    ['REQUIRES 0.14.0', { kind: 'requires', value: '0.14.0' }],
    ['PARAMETER num_ctx 4096', { kind: 'parameter', name: 'num_ctx', value: '4096' }],
    ['PARAMETER Any_Name9 text', { kind: 'parameter', name: 'Any_Name9', value: 'text' }],
    ['PARAMETER  num_ctx 4096', { kind: 'parameter', name: '', value: 'num_ctx 4096' }],
    ['MESSAGE system be kind', { kind: 'message', role: 'system', content: 'be kind' }],
    ['MESSAGE user assistant: hi', { kind: 'message', role: 'user', content: 'assistant: hi' }],
    ['MESSAGE assistant yes', { kind: 'message', role: 'assistant', content: 'yes' }],
    ['pArAmEtEr stop x', { kind: 'parameter', name: 'stop', value: 'x' }],
    ['  \t system\tindented', { kind: 'system', value: 'indented' }],
    ['PARAMETER\ttop_k\t\t 5 ', { kind: 'parameter', name: 'top_k', value: '5' }],
    ['MESSAGE\tuser\thi', { kind: 'message', role: 'user', content: 'hi' }],
  ])('%j', (line, command) => {
    expect(parseModelfile(`${line}\nFROM x`).commands).toEqual([command, from]);
  });

  test('repeated instructions keep their order and their lines', () => {
    const source = 'FROM a\n\n# why\nFROM b\nLICENSE """1\n2"""\nLICENSE "3"\n';
    expect(parseModelfile(source)).toEqual({
      commands: [
        { kind: 'from', value: 'a' },
        { kind: 'from', value: 'b' },
        { kind: 'license', value: '1\n2' },
        { kind: 'license', value: '3' },
      ],
      lines: [1, 4, 5, 7],
    });
  });
});

describe('texts', () => {
  test.each([
    ['plain', 'plain'],
    ['  blanks \t around \t ', 'blanks \t around'],
    ['', ''],
    ['   ', ''],
    ["'single'", "'single'"],
    ['a "quoted" word', 'a "quoted" word'],
    ['ends with "', 'ends with "'],
    ['"quoted"', 'quoted'],
    ['" kept "  ', ' kept '],
    ['""', ''],
    ['"no \\" escape"', 'no \\" escape'],
    ['"a "b" c"', 'a "b" c'],
    ['"two\nlines"', 'two\nlines'],
    ['"a" b\nc"', 'a" b\nc'],
    ['"\n\n"', '\n\n'],
    ['"" x"', '" x'],
    ['""""""', ''],
    ['"""tripled"""', 'tripled'],
    ['"""\n  two\n\tlines\n"""', '\n  two\n\tlines\n'],
    ['"""a "b" c"""', 'a "b" c'],
    ['"""a"\nb"""', 'a"\nb'],
    ['"""a""" b\nc"""', 'a""" b\nc'],
    ['"""a"""  ', 'a'],
    ['"""""""', '"'],
    ['""""\n"""', '"\n'],
    ['"""""\n"""', '""\n'],
    ['"""# no comment\nFROM y\n"""', '# no comment\nFROM y\n'],
    ['"""a\r\nb\rc"""', 'a\r\nb\rc'],
    ['a\0\u00a0\u200db', 'ab'],
    ['"a\u200d"\u00a0', 'a'],
  ])('%j is %j', (written, value) => {
    for (const newline of ['\n', '\r\n', '\r']) {
      const source = `SYSTEM ${written}${newline}FROM x${newline}`;
      expect(parseModelfile(source).commands).toEqual([{ kind: 'system', value }, from]);
    }
    expect(parseModelfile(`FROM x\nMESSAGE user ${written}`).commands[1]).toMatchObject({ content: value });
    expect(parseModelfile(`FROM x\nPARAMETER stop ${written}`).commands[1]).toMatchObject({ value });
  });
});

test.each([
  '# comment\nFROM x',
  '  \t# comment\n\n\n  FROM x\n \t',
  'FROM x\n#',
  'FROM x\n#comment',
  '#SYSTEM """\nFROM x',
  '\ufeffFROM x',
  '\r\n\r\nfrom x\r\n',
])('%j is FROM x', (source) => {
  expect(parseModelfile(source).commands).toEqual([from]);
});

test('a file from Windows, as bytes', () => {
  const bytes = Buffer.from('\ufeff# é\r\nFROM x\r\nSYSTEM "é\r\n"\r\n', 'utf16le');
  expect(parseModelfile(bytes)).toEqual({ commands: [from, { kind: 'system', value: 'é\r\n' }], lines: [2, 3] });
});

describe('errors', () => {
  const badWord =
    'command must be one of "from", "license", "template", "system", "adapter", "draft", "renderer", "parser", "engine", "parameter", "message", or "requires"';
  const badRole = 'message role must be one of "system", "user", or "assistant"';
  const badVersion = 'requires must be a valid semver (e.g. 0.14.0)';

  test.each([
    ['', 'no FROM line'],
    ['# FROM x', 'no FROM line'],
    ['SYSTEM hi', 'no FROM line'],
    ['FROM x\nCOLOUR red\n', `(line 2): ${badWord}`],
    ['FROM x\r\n\r\nCOLOUR red', `(line 3): ${badWord}`],
    ['FORM x\n', `(line 1): ${badWord}. Did you mean FROM?`],
    ['FROM x\nSytem y\n', `(line 2): ${badWord}. Did you mean SYSTEM?`],
    ['FROM x\nPARAM temperature 1\n', `(line 2): ${badWord}. Did you mean PARAMETER?`],
    ['FROM x\nSYSTEM """a\nb"""\n\nCOLOUR red', `(line 5): ${badWord}`],
    ['FROM\n', `(line 1): ${badWord}`],
    ['FROM: x', `(line 1): ${badWord}`],
    ['FROM2 x', `(line 1): ${badWord}`],
    ['constructor x', `(line 1): ${badWord}`],
    ['FROM x\n"""text"""', `(line 2): ${badWord}`],
    ['FROM x\nSYSTEM\n"""text"""', `(line 2): ${badWord}`],
    ['FROM', '(line 1): unexpected EOF'],
    ['FROM x\nSYS', '(line 2): unexpected EOF'],
    ['FROM x\nSYSTEM "open\nFROM y\n', '(line 2): unexpected EOF'],
    ['FROM x\nSYSTEM """open"\n', '(line 2): unexpected EOF'],
    ['FROM x\nSYSTEM """closed""" not', '(line 2): unexpected EOF'],
    ['FROM x\nSYSTEM "', '(line 2): unexpected EOF'],
    ['FROM x\nSYSTEM """""', '(line 2): unexpected EOF'],
    ['FROM x\nPARAMETER ', '(line 2): unexpected EOF'],
    ['FROM x\nPARAMETER top_k', '(line 2): unexpected EOF: top_k'],
    ['FROM x\nPARAMETER top_k\n1', '(line 2): unexpected EOF: top_k'],
    ['FROM x\nPARAMETER top-k 1', '(line 2): unexpected EOF: top'],
    ['FROM x\nMESSAGE user', '(line 2): unexpected EOF: user'],
    ['FROM x\nMESSAGE user: hi', '(line 2): unexpected EOF: user'],
    ['FROM x\nMESSAGE User hi', `(line 2): ${badRole}`],
    ['FROM x\nMESSAGE tool hi', `(line 2): ${badRole}`],
    ['FROM x\nMESSAGE  user hi', `(line 2): ${badRole}`],
    ['FROM x\nREQUIRES soon', `(line 2): ${badVersion}`],
    ['FROM x\nREQUIRES 01.0.0', `(line 2): ${badVersion}`],
    ['FROM x\nREQUIRES 1.2.3.4', `(line 2): ${badVersion}`],
  ])('%j', (source, message) => {
    expect(() => parseModelfile(source)).toThrow(
      expect.objectContaining({ name: 'HearthError', code: 'bad_request', message }),
    );
  });

  test.each(['0.14.0', 'v0.14.0', '1', '1.2', '1.2.3-rc.1+build-5'])('%s is a version', (value) => {
    expect(parseModelfile(`FROM x\nREQUIRES ${value}`).commands[1]).toEqual({ kind: 'requires', value });
  });

  test('a long name is truncated in the message', () => {
    expect(() => parseModelfile(`PARAMETER ${'a'.repeat(5000)}`)).toThrow(/^\(line 1\): unexpected EOF: a{200}…$/);
  });

  test('refuses more instructions than the limit', () => {
    const atLimit = 'FROM x\n'.repeat(modelfileLimits.commands);
    expect(parseModelfile(atLimit).commands).toHaveLength(modelfileLimits.commands);
    expect(() => parseModelfile(`${atLimit}FROM x`)).toThrow('a Modelfile can have at most 65536 instructions');
  });
});

// With quadratic work these would not finish.
test.each([
  ['blanks', ' '],
  ['newlines', '\n'],
  ['quotes', '"'],
  ['characters that are dropped', '\0a'],
  ['lines in an open quote', 'a\n'],
  ['lines that almost close the quote', '"" \n'],
  ['blank lines', ' \r\n'],
  ['only digits', '0'],
  ['parts of a version', 'a.'],
])('a file of %s is read or refused soon', (_, unit) => {
  for (const start of ['', 'FROM x\nSYSTEM """', 'FROM ', 'FROM x\nREQUIRES 1.1.1-', 'PARAMETER ']) {
    const source = start + unit.repeat(2 ** 20 / unit.length);
    try {
      parseModelfile(source);
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad_request' });
    }
  }
});
