import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HearthError } from '../kernel/errors.ts';
import { parseTemplate } from './template.ts';

const render = (source: string, data = {}): string =>
  parseTemplate(`${source}{{ if false }}{{ .Response }}{{ end }}`).render(data);

describe('rendering', () => {
  test.each([
    ['plain text', {}, 'plain text'],
    ['{{ .A }}', { A: 'x' }, 'x'],
    ['{{ .A.B.C }}', { A: { B: { C: 3 } } }, '3'],
    ['[{{ .Missing }}]', {}, '[]'],
    ['{{ .constructor }}{{ .A.toString }}', { A: {} }, ''],
    ['{{ if .A }}yes{{ else }}no{{ end }}', { A: '' }, 'no'],
    ['{{ if .A }}a{{ else if .B }}b{{ else }}c{{ end }}', { B: 1 }, 'b'],
    ['{{ with .A }}{{ .B }}{{ else }}none{{ end }}', { A: { B: 'x' } }, 'x'],
    ['{{ with .A }}{{ . }}{{ else }}none{{ end }}', {}, 'none'],
    ['{{ range .L }}<{{ . }}>{{ end }}', { L: [1, 2] }, '<1><2>'],
    ['{{ range .L }}{{ . }}{{ else }}empty{{ end }}', { L: [] }, 'empty'],
    ['{{ range $i, $v := .L }}{{ $i }}{{ $v }} {{ end }}', { L: ['a', 'b'] }, '0a 1b '],
    ['{{ range $v := .L }}{{ $v }}{{ end }}', { L: ['a', 'b'] }, 'ab'],
    ['{{ range .M }}{{ . }}{{ end }}', { M: { b: 2, a: 1 } }, '12'],
    ['{{ range .L }}{{ if eq . 2 }}{{ break }}{{ end }}{{ . }}{{ end }}', { L: [1, 2, 3] }, '1'],
    ['{{ range .L }}{{ if eq . 2 }}{{ continue }}{{ end }}{{ . }}{{ end }}', { L: [1, 2, 3] }, '13'],
    ['{{ $x := 1 }}{{ range .L }}{{ $x = . }}{{ end }}{{ $x }}', { L: [7, 8] }, '8'],
    ['{{ range .L }}{{ $.A }}{{ end }}', { L: [1, 2], A: 'x' }, 'xx'],
    ['{{ "quoted \\"text\\"\\n" }}', {}, 'quoted "text"\n'],
    ['{{ `raw\\n` }}', {}, 'raw\\n'],
    ['{{/* a comment */}}x', {}, 'x'],
    ['{{ .A | len }}', { A: 'abc' }, '3'],
    ['{{ (index .L 1).B }}', { L: [{}, { B: 'x' }] }, 'x'],
    ['{{ and .A .B }}|{{ or .A .B }}', { A: 0, B: 'b' }, '0|b'],
    ['{{ if and .A (not .B) (eq .C "x" "y") }}1{{ end }}', { A: 1, C: 'y' }, '1'],
    ['{{ if lt 1 2 }}a{{ end }}{{ if ge "b" "a" }}b{{ end }}', {}, 'ab'],
    ['{{ slice .L 1 }}', { L: [1, 2, 3] }, '[2,3]'],
    ['{{ json .M }}', { M: { b: '<', a: [1] } }, '{"a":[1],"b":"\\u003c"}'],
  ])('%s', (source, data, expected) => {
    expect(render(source, data)).toBe(expected);
  });

  test('trim markers take the white space on their side, and only there', () => {
    expect(render('a \n {{- .X }} b {{ .X -}} \n c', { X: 'x' })).toBe('ax b xc');
    expect(render('a {{- /* gone */ -}} b')).toBe('ab');
  });
});

describe('what a template says about itself', () => {
  test('it mentions fields and variables in any depth, in lower case', () => {
    const { mentions } = parseTemplate(
      '{{ range $m := .Messages }}{{ if (eq $m.Role "user") }}{{ .Content }}{{ end }}{{ end }}',
    );
    expect(mentions).toEqual(new Set(['messages', '$m', 'role', 'content']));
  });

  test('one that says nothing about the answer has it at its end', () => {
    expect(parseTemplate('{{ .Prompt }}').render({ Prompt: 'p', Response: 'r' })).toBe('pr');
    expect(parseTemplate('{{ .Prompt }}{{ .Response }}!').render({ Prompt: 'p', Response: 'r' })).toBe('pr!');
  });

  test('cut behind a field, everything after it is gone, inside branches too', () => {
    const template = parseTemplate('<{{ if .P }}{{ .P }}{{ else }}x{{ .Response }} gone{{ end }} gone');
    expect(template.cutAfter('Response').render({ Response: 'r' })).toBe('<xr');
    expect(template.cutAfter('Response').render({ P: 'p' })).toBe('<p');
  });
});

describe('errors carry line and column', () => {
  test.each([
    ['{{ if .A }}', 'unexpected end of template'],
    ['{{ end }}', 'template: 1:1: unexpected {{end}}'],
    ['a\n b {{ .A ', 'template: 2:4: unclosed action'],
    ['{{ nosuch .A }}', 'template: 1:4: function "nosuch" not defined'],
    ['{{ $x }}', 'undefined variable "$x"'],
    ['{{ .A .B }}', "can't give argument to non-function"],
    ['{{ len 3 }}', 'error calling len: len of number'],
    ['{{ ( .A }}', 'unclosed left parenthesis'],
    ['{{ }}', 'missing value for command'],
    ['{{ "\\q" }}', 'unknown escape'],
    ['{{ # }}', 'unexpected "#"'],
  ])('%j', (source, message) => {
    expect(() => parseTemplate(source).render({})).toThrow(message);
  });
});

describe('hostile templates', () => {
  test('loops in loops end', () => {
    const L = Array.from({ length: 300 }, (_, index) => index);
    expect(() => render('{{ range .L }}{{ range $.L }}{{ range $.L }}x{{ end }}{{ end }}{{ end }}', { L })).toThrow(
      'steps',
    );
  });

  test('output is bounded', () => {
    const template = parseTemplate('{{ range .L }}{{ $.A }}{{ end }}');
    expect(() => template.render({ L: [1, 2, 3], A: 'x'.repeat(50) }, { steps: 1000, outputLength: 100 })).toThrow(
      'writes more',
    );
  });

  test('depth is bounded', () => {
    expect(() => parseTemplate('{{ if 1 }}'.repeat(5000))).toThrow('nested more than');
    expect(() => parseTemplate(`{{ ${'('.repeat(5000)} }}`)).toThrow('nested more than');
  });

  test('no text makes the parser do anything but succeed or fail with its own error', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{{-',
      '-}}',
      ' ',
      'if',
      'range',
      'end',
      'else',
      '.A',
      '$x',
      ':=',
      '(',
      ')',
      '|',
      '"',
      '`',
      '1',
      '/*',
      '*/',
      '\n',
      'eq',
      ',',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          parseTemplate(pieces.join('')).render({ A: [1, 2] });
        } catch (error) {
          expect(error).toBeInstanceOf(HearthError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
