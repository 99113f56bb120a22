import { describe, expect, test } from 'vitest';
import { visitNodes } from './parse/tree.ts';
import type { RenderOptions } from './template.ts';
import { parseTemplate } from './template.ts';
import { type Value, withText } from './values/values.ts';

// test/goldens compares rendering with Go. These tests cover what Go does not have.

const render = (source: string, data: Value = {}, options?: RenderOptions): string =>
  parseTemplate(`${source}{{ if false }}{{ .Response }}{{ end }}`).render(data, options);

describe('range over integers, as in Go 1.24', () => {
  test.each([
    ['{{ range 3 }}{{ . }}{{ end }}', '012'],
    ['{{ range $i := 3 }}{{ $i }}{{ end }}', '012'],
    ['{{ range 0 }}x{{ else }}none{{ end }}', 'none'],
    ['{{ range -2 }}x{{ else }}none{{ end }}', 'none'],
    ['{{ range len .L }}{{ . }}{{ index $.L . }} {{ end }}', '0a 1b '],
    ['{{ range $i := 5 }}{{ if eq $i 3 }}{{ break }}{{ end }}{{ $i }}{{ end }}', '012'],
    ['{{ range .N }}{{ . }}{{ end }}', '01'],
  ])('%s', (source, expected) => {
    expect(render(source, { L: ['a', 'b'], N: 2n })).toBe(expected);
  });

  test('rejects keys of integers, and floats', () => {
    expect(() => render('{{ range $i, $v := 3 }}{{ end }}')).toThrow('more than one variable');
    expect(() => render('{{ range .F }}{{ end }}', { F: 3 })).toThrow("range can't iterate over float64");
  });
});

describe('values', () => {
  test('inherited properties are not fields', () => {
    expect(render('{{ .constructor }}{{ .A.toString }}', { A: {} })).toBe('<no value><no value>');
    expect(render('{{ index .A "__proto__" }}', { A: {} })).toBe('<no value>');
  });

  test('custom text is printed, and the contents stay accessible', () => {
    const call = withText({ Name: 'f' }, { text: () => 'CALL', json: () => '{"name":"f"}' });
    const data = { Calls: withText([call, call], { text: (self) => `${(self as readonly Value[]).length} calls` }) };
    expect(render('{{ .Calls }}|{{ slice .Calls 1 }}|{{ len .Calls }}', data)).toBe('2 calls|1 calls|2');
    expect(render('{{ range .Calls }}{{ . }}{{ .Name }}{{ json . }};{{ end }}', data)).toBe(
      'CALLf{"name":"f"};CALLf{"name":"f"};',
    );
    expect(render('{{ json .Calls }}', data)).toBe('[{"name":"f"},{"name":"f"}]');
    expect(render('{{ printf "%#v" (index .Calls 0) }}', data)).toBe('map[string]interface {}{"Name":"f"}');
  });

  test('dates use the given time', () => {
    const day = (...date: [number, number, number, number]): number => new Date(...date).getTime();
    const dates = '{{ currentDate }} {{ yesterdayDate }}';
    expect(render(dates, {}, { now: day(2024, 2, 1, 0) })).toBe('2024-03-01 2024-02-29');
    expect(render(dates, {}, { now: day(2023, 0, 1, 23) })).toBe('2023-01-01 2022-12-31');
    expect(parseTemplate('{{ currentDate }}').render({ Response: '' })).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test('a property type can have the names of Go', () => {
    expect(render('{{ toTypeScriptType . }}', { Type: ['array', 'null'] })).toBe('any[] | null');
  });
});

describe('names in a template', () => {
  test('contain fields and variables at any depth, in lower case', () => {
    const { mentions } = parseTemplate(
      '{{ range $m := .Messages }}{{ if (eq $m.Role "user") }}{{ .Content }}{{ end }}{{ end }}',
    );
    expect(mentions).toEqual(new Set(['messages', '$m', 'role', 'content']));
  });

  test('a template without messages and response gets the response at its end', () => {
    expect(parseTemplate('{{ .Prompt }}').render({ Prompt: 'p', Response: 'r' })).toBe('pr');
    expect(parseTemplate('{{ .Prompt }}{{ .Response }}!').render({ Prompt: 'p', Response: 'r' })).toBe('pr!');
  });

  test('cutAfter drops everything after a field, also in branches', () => {
    const template = parseTemplate('<{{ if .P }}{{ .P }}{{ else }}x{{ .Response }} gone{{ end }} gone');
    expect(template.cutAfter('Response').render({ Response: 'r' })).toBe('<xr');
    expect(template.cutAfter('Response').render({ P: 'p' })).toBe('<p');
  });
});

describe('parts of a template', () => {
  const template = parseTemplate(
    '{{ range $m := .Messages }}{{ if $m.ToolCalls }}<call>{{ range $m.ToolCalls }}{{ template "one" . }}{{ end }}{{ end }}{{ end }}' +
      '{{ define "one" }}{"name": "{{ .Name }}"}{{ end }}',
  );

  test('can be found and rendered alone', () => {
    let found = '';
    visitNodes(template.nodes, (node) => {
      if (node.kind === 'range' && node.pipeline.commands[0]?.[0].kind === 'variable')
        found = template.renderNodes([node], { ToolCalls: [{ Name: 'f' }] });
      return undefined;
    });
    expect(found).toBe('{"name": "f"}');
  });

  test('can assign variables that are declared elsewhere', () => {
    const { nodes, renderNodes } = parseTemplate('{{ $x := 1 }}{{ range .Messages }}{{ $x = . }}{{ $x }}{{ end }}');
    expect(renderNodes(nodes.slice(1), { Messages: ['a', 'b'] })).toBe('ab');
  });

  test('names in definitions are included', () => {
    expect([...template.mentions].sort()).toEqual(['$m', 'messages', 'name', 'toolcalls']);
  });
});

describe('errors have line and column', () => {
  test.each([
    ['{{ if .A }}', 'template: 1:1: unexpected EOF'],
    ['{{ end }}', 'template: 1:1: unexpected {{end}}'],
    ['a\n b {{ .A ', 'template: 2:4: unclosed action'],
    ['{{ nosuch .A }}', 'template: 1:4: function "nosuch" not defined'],
    ['{{ $x }}', 'template: 1:4: undefined variable "$x"'],
    ['{{ .A .B }}', "template: 1:4: can't give argument to non-function"],
    ['\n{{ len 3 }}', 'template: 2:4: error calling len: len of type int'],
    ['{{ ( .A }}', 'unclosed left paren'],
    ['{{ }}', 'missing value for command'],
    ['{{ "\\q" }}', 'template: 1:4: unknown escape'],
    ['{{ # }}', 'unexpected "#"'],
    ['{{ if eq .A\n  (index .L 7) }}{{ end }}', 'template: 2:4: error calling index: index of untyped nil'],
    ['{{ template "none" }}', 'template: 1:1: template "none" not defined'],
    ['{{ call .A }}', 'error calling call: call of nil'],
    ['{{ 3i }}', 'complex numbers'],
  ])('%j', (source, message) => {
    expect(() => parseTemplate(source).render({})).toThrow(message);
  });
});

describe('hostile templates', () => {
  test.each([
    ['nested loops', '{{ range .L }}{{ range $.L }}{{ range $.L }}x{{ end }}{{ end }}{{ end }}', 'steps'],
    ['a long loop', '{{ range 9223372036854775807 }}{{ end }}', 'steps'],
    ['a recursive template', '{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}', 'nested more than'],
    ['a template that calls itself by the empty name', '{{ template "" . }}', 'nested more than'],
    ['doubling', '{{ $x := "x" }}{{ range 99 }}{{ $x = print $x $x }}{{ end }}', 'functions make more than'],
    ['doubling in json', '{{ $x := "\\"" }}{{ range 99 }}{{ $x = json $x }}{{ end }}', 'functions make more than'],
    ['a large width', '{{ range 99 }}{{ $x := printf "%999999d" 1 }}{{ end }}', 'functions make more than'],
    [
      'a large width from an argument',
      '{{ range 99 }}{{ $x := printf "%0999999d%[1]0*d" 999999 1 }}{{ end }}',
      'functions make more than',
    ],
    [
      'a large precision',
      '{{ range 99 }}{{ $x := printf "%.999999f%[1].999999d" 1.5 1 }}{{ end }}',
      'functions make more than',
    ],
    [
      'long comparisons',
      '{{ $x := printf "%999999d" 1 }}{{ range .L }}{{ range $.L }}{{ $y := eq $x "" }}{{ end }}{{ end }}',
      'steps',
    ],
    ['deep parentheses', `{{ ${'('.repeat(5000)} }}`, 'nested more than'],
    ['deep blocks', '{{ if 1 }}'.repeat(5000), 'nested more than'],
    ['deep elses', `{{ if 1 }}${'{{ else if 1 }}'.repeat(5000)}{{ end }}`, 'nested more than'],
    ['a long source', 'x'.repeat(2 ** 18 + 1), 'longer than'],
  ])('%s', (_, source, message) => {
    const L = Array.from({ length: 300 }, (_item, index) => index);
    expect(() => render(source, { L })).toThrow(message);
  });

  test('output is bounded', () => {
    expect(() =>
      render('{{ range .L }}{{ $.A }}{{ end }}', { L: [1, 2, 3], A: 'x'.repeat(50) }, { outputLength: 100 }),
    ).toThrow('writes more');
  });

  test('printing of nested data is bounded', () => {
    let deep: Value = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(() => render('{{ . }}', deep)).toThrow('nested more than');
    expect(() => render('{{ json . }}', deep)).toThrow('nested more than');
  });

  test('templates nested up to the limit', () => {
    const source = `{{ define "t" }}${'{{ if . }}'.repeat(20)}{{ template "t" (((((.))))) }}${'{{ end }}'.repeat(20)}{{ end }}{{ template "t" . }}`;
    expect(() => render(source, { A: 1 })).toThrow('nested more than');
  });
});
