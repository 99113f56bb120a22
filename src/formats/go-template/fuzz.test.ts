// Random templates with random data render or fail with a template error, in bounded time.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { parseTemplate } from './template.ts';
import { type ListValue, type MapValue, type Value, withText } from './values/values.ts';

const limits = { steps: 20_000, outputLength: 200_000, now: 0 };

function expectOwnError(source: string, data: Value): void {
  try {
    expect(typeof parseTemplate(source).cutAfter('Response').render(data, limits)).toBe('string');
    parseTemplate(source).render(data, limits);
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    expect(error.code).toBe('bad_template');
    expect(error.message).toMatch(/^template: \d+:\d+: /);
  }
}

const names = ['A', 'B', 'Messages', 'Role', 'Content', 'ToolCalls', 'Response'] as const;

const { value: data } = fc.letrec<{ value: Value; list: ListValue; map: MapValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Value>(null, true, false, '', 'text', 'é😀', 0, 1.5, -0, 1e21, 0n, 3n, -7n),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.double(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  map: fc
    .tuple(fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }), fc.boolean())
    .map(([map, speaks]) => (speaks ? withText(map, { text: () => 'own text' }) : map)),
}));

const piece = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{{-',
    '-}}',
    '{{- ',
    ' -}}',
    ' ',
    '\n',
    'text',
    '/*',
    '*/',
    '"',
    '`',
    "'",
    '\\',
    '(',
    ')',
    '|',
    ',',
    '.',
  ],
  ...[
    'if',
    'else',
    'else if',
    'with',
    'range',
    'end',
    'break',
    'continue',
    'define',
    'template',
    'block',
    'nil',
    'true',
  ],
  ...[
    '.A',
    '.A.B',
    '$',
    '$x',
    '$x.A',
    ':=',
    '=',
    'eq',
    'index',
    'slice',
    'printf',
    'json',
    'len',
    'and',
    '1',
    '-2',
    '0x1F',
    '1e3',
  ],
);

const operand = fc.constantFrom(
  ...[
    '.',
    '$',
    '.A',
    '.B',
    '.Messages',
    '.A.B',
    '$.A',
    '1',
    '0',
    '-1',
    '2.5',
    '"text"',
    '"%v %d"',
    '`raw`',
    "'c'",
    'true',
    'nil',
  ],
  ...['(len .A)', '(index . "A")', '(slice .A 1)', '(print . .A)', '(and .A .B)', '$x', '(json .)', 'currentDate'],
);
const verb = fc.tuple(
  fc.constantFrom('', '+', '-', '#', ' ', '0', '[1]', '[9]', '+#0'),
  fc.constantFrom('', '3', '12', '*', '.', '.0', '.3', '5.2', '.*', '99999999'),
  fc.constantFrom(...'vTtdboOxXcqUeEfFgGsp%!é'),
);
const format = fc
  .array(verb, { maxLength: 4 })
  .map((verbs) => `"${verbs.map((parts) => `%${parts.join('')}`).join(' ')}"`);
const callee = fc.oneof(
  fc.constantFrom(
    ...[
      'and',
      'or',
      'not',
      'len',
      'index',
      'slice',
      'print',
      'println',
      'html',
      'js',
      'urlquery',
      'json',
      'call',
      'printf',
    ],
    ...['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'toTypeScriptType', 'yesterdayDate'],
  ),
  format.map((text) => `printf ${text}`),
);
const pipeline = fc.oneof(
  operand,
  fc.tuple(callee, fc.array(operand, { maxLength: 4 })).map(([name, operands]) => [name, ...operands].join(' ')),
  fc.tuple(operand, callee).map(([first, name]) => `${first} | ${name}`),
);

const { list: grammar } = fc.letrec<{ list: string; node: string }>((tie) => ({
  list: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'text',
      ' \n ',
      '{{/* c */}}',
      '{{ break }}',
      '{{ continue }}',
      '{{ template "t" . }}',
      '{{ $x = 1 }}',
    ),
    pipeline.map((text) => `{{ ${text} }}`),
    pipeline.map((text) => `{{- $x := ${text} -}}`),
    fc
      .tuple(
        fc.constantFrom('if', 'with', 'range', 'range $x :=', 'range $i, $x :=', 'block "b"'),
        pipeline,
        tie('list'),
        tie('list'),
      )
      .map(([kind, text, body, otherwise]) => `{{ ${kind} ${text} }}${body}{{ else }}${otherwise}{{ end }}`),
    fc
      .tuple(fc.constantFrom('if', 'with', 'range', 'block "c"'), pipeline, tie('list'))
      .map(([kind, text, body]) => `{{ ${kind} ${text} }}${body}{{ end }}`),
  ),
}));

const real = [
  '{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}{{ range $i, $m := .Messages }}' +
    '{{- $last := eq (len (slice $.Messages $i)) 1 }}<|im_start|>{{ .Role }}\n{{ .Content }}{{ if not $last }}<|im_end|>{{ end }}{{ end }}',
  '{{- range .Messages }}{{- if eq .Role "user" }}[INST] {{ .Content }}[/INST]{{ else if .ToolCalls }}[TOOL_CALLS] [' +
    '{{- range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ json .Function.Arguments }}}{{ end }}]{{ end }}{{ end }}',
  '{{ define "t" }}{{ printf "%-9s|%5.2f" .Role 1.5 }}{{ end }}{{ with .Messages }}{{ template "t" (index . 0) }}{{ end }}{{ .Response }}',
];
const mutated = fc
  .tuple(
    fc.constantFrom(...real),
    fc.array(fc.tuple(fc.nat(400), fc.nat(12), fc.oneof(piece, fc.string())), { maxLength: 4 }),
  )
  .map(([text, edits]) =>
    edits.reduce((current, [at, cut, put]) => current.slice(0, at) + put + current.slice(at + cut), text),
  );

test.each([
  ['template fragments in any order', fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))],
  ['any bytes', fc.string({ unit: 'binary', maxLength: 60 }).map((text) => `{{${text}}}`)],
  ['templates that follow the grammar', grammar.map((text) => `{{ $x := . }}${text}{{ define "t" }}{{ .A }}{{ end }}`)],
  ['mutated real templates', mutated],
])('%s', (_, source) => {
  fc.assert(fc.property(source, data, expectOwnError), { numRuns: 1500 });
});
