import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { type Modelfile, type ModelfileCommand, messageRoles, modelfileLimits, textKinds } from './modelfile.ts';
import { parseModelfile } from './parse-modelfile.ts';
import { formatModelfile, printModelfile } from './print-modelfile.ts';

const withSystem = (value: string): Modelfile => ({
  commands: [
    { kind: 'from', value: 'x' },
    { kind: 'system', value },
  ],
});

test('one line per instruction', () => {
  const commands: ModelfileCommand[] = [
    { kind: 'from', value: '/models/blobs/sha256-01' },
    { kind: 'adapter', value: '/models/blobs/sha256-02' },
    { kind: 'template', value: '{{ .Prompt }}' },
    { kind: 'parameter', name: 'stop', value: '<|im_end|>' },
    { kind: 'license', value: 'MIT\n' },
    { kind: 'message', role: 'user', content: 'hi' },
  ];
  expect(printModelfile({ commands })).toBe(
    [
      'FROM /models/blobs/sha256-01\nADAPTER /models/blobs/sha256-02\nTEMPLATE {{ .Prompt }}\n',
      'PARAMETER stop <|im_end|>\nLICENSE "MIT\n"\nMESSAGE user hi\n',
    ].join(''),
  );
});

describe('quotes a text only if necessary', () => {
  test.each([
    ['plain', 'plain'],
    ['with "quotes" inside "', 'with "quotes" inside "'],
    ['# no comment', '# no comment'],
    [' blank before', '" blank before"'],
    ['blank after\t', '"blank after\t"'],
    ['two\nlines', '"two\nlines"'],
    ['two "quoted"\r\nlines', '"""two "quoted"\r\nlines"""'],
    ['', '""'],
    ['"quoted"', '""""quoted""""'],
    ['"', '"""""""'],
    ['"""', '"""""""""'],
    ['a """ b\nc', '"""a """ b\nc"""'],
  ])('%j', (value, written) => {
    const text = printModelfile(withSystem(value));
    expect(text).toBe(`FROM x\nSYSTEM ${written}\n`);
    expect(parseModelfile(text).commands).toEqual(withSystem(value).commands);
  });
});

describe('refuses what the format cannot represent', () => {
  const long = 'a'.repeat(modelfileLimits.bytes);
  test.each<[string, Modelfile, string]>([
    ['no FROM', { commands: [] }, 'no FROM line'],
    [
      'a joiner',
      withSystem('a\u200db'),
      'the text of SYSTEM contains the character U+200D, which a Modelfile cannot contain',
    ],
    [
      'quotes at the end of a line',
      withSystem('a"""  \r\nb'),
      'a line of SYSTEM ends with """, which would end its text in a Modelfile',
    ],
    [
      'a name with a blank',
      { commands: [{ kind: 'parameter', name: 'a b', value: '' }] },
      'a Modelfile cannot contain a parameter named "a b"',
    ],
    ['an engine that is none', { commands: [{ kind: 'engine', value: 'torch' }] }, 'engine must be one of vllm'],
    [
      'a version that is none',
      { commands: [{ kind: 'requires', value: 'soon' }] },
      'requires must be a valid semver (e.g. 0.14.0)',
    ],
    ['too long a text', withSystem(long), `a Modelfile can have at most ${modelfileLimits.bytes} bytes`],
    [
      'too many instructions',
      { commands: new Array(modelfileLimits.commands + 1).fill({ kind: 'from', value: 'x' }) },
      'a Modelfile can have at most 65536 instructions',
    ],
  ])('%s', (_, modelfile, message) => {
    expect(() => printModelfile(modelfile)).toThrow(expect.objectContaining({ code: 'unsupported', message }));
    expect(() => formatModelfile(modelfile)).not.toThrow();
  });
});

const piece = (...more: string[]) =>
  fc.constantFrom('"', '"""', '\n', '\r', ' ', '\t', 'a', '#', 'FROM x', '👍', ...more);
const textOf = (pieces: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((list) => list.join('')),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
  );
const commandOf = (text: fc.Arbitrary<string>): fc.Arbitrary<ModelfileCommand> =>
  fc.oneof(
    text.map((value) => ({ kind: 'from' as const, value })),
    fc.tuple(fc.constantFrom(...textKinds), text).map(([kind, value]) => ({ kind, value })),
    fc.constantFrom('0.14.0', '1', 'v1.2', 'soon').map((value) => ({ kind: 'requires' as const, value })),
    fc.tuple(fc.constantFrom('stop', '', 'x_9', 'a b'), text).map(([name, value]) => ({
      kind: 'parameter' as const,
      name,
      value,
    })),
    fc.tuple(fc.constantFrom(...messageRoles), text).map(([role, content]) => ({
      kind: 'message' as const,
      role,
      content,
    })),
  );
const modelfileOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Modelfile> =>
  fc.array(commandOf(text), { maxLength: 6 }).map((commands) => ({ commands }));

const readsBack = (text: string, { commands }: Modelfile): boolean => {
  try {
    return isDeepStrictEqual(parseModelfile(text).commands, commands);
  } catch {
    return false;
  }
};

/** The text, or undefined if it is refused. Other errors fail the test. */
const tryPrint = (modelfile: Modelfile): string | undefined => {
  try {
    return printModelfile(modelfile);
  } catch (error) {
    if (error instanceof HearthError && error.code === 'unsupported') return undefined;
    throw error;
  }
};

test('printed commands parse to the same commands, refused ones do not', { timeout: 60_000 }, () => {
  const anyText = textOf(piece('\0', '\u00a0', '\u200d', '\ud800'));
  let printed = 0;
  fc.assert(
    fc.property(modelfileOf(anyText), (modelfile) => {
      const text = tryPrint(modelfile);
      if (text !== undefined) printed++;
      return readsBack(text ?? formatModelfile(modelfile), modelfile) === (text !== undefined);
    }),
    { numRuns: 20_000 },
  );
  expect(printed).toBeGreaterThan(1000);
});

test('every text without a line that ends with three quotes can be printed', () => {
  const text = textOf(piece()).filter((value) => !/"""[ \t]*[\r\n]|[^\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]/u.test(value));
  fc.assert(
    fc.property(text, (value) => readsBack(printModelfile(withSystem(value)), withSystem(value))),
    { numRuns: 20_000 },
  );
});

test('printing is stable after one round trip', () => {
  fc.assert(
    fc.property(modelfileOf(textOf(piece())), (modelfile) => {
      const text = tryPrint(modelfile);
      fc.pre(text !== undefined);
      expect(printModelfile(parseModelfile(text))).toBe(text);
    }),
    { numRuns: 2000 },
  );
});
