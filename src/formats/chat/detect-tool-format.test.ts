import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseTemplate } from '../go-template/template.ts';
import { guessToolFormat, toolFormatOf } from './detect-tool-format.ts';

const formatOf = (source: string) => toolFormatOf(parseTemplate(source));
const usual = { nameKey: 'name', argumentsKey: 'arguments' };

test("Ember's own", () => {
  const source = readFileSync(new URL('../../../models/ember.template', import.meta.url), 'utf8');
  expect(formatOf(source)).toEqual({ ...usual, tag: '<tool_call>' });
});

test.each([
  [
    'a tag before every call',
    '{{ range .Messages }}{{ if .ToolCalls }}<tool_call>{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}</tool_call>{{ end }}{{ end }}',
    { ...usual, tag: '<tool_call>' },
  ],
  [
    'a tag before a list, with parameters',
    '{{ range .Messages }}{{ if .ToolCalls }}[TOOL_CALLS] [{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}]{{ end }}{{ end }}',
    { nameKey: 'name', argumentsKey: 'parameters', tag: '[TOOL_CALLS] [' },
  ],
  [
    'bare objects with keys of their own',
    '{{ range .Messages }}{{ range .ToolCalls }}{"tool": "{{ .Function.Name }}", "args": {{ json .Function.Arguments }}}{{ end }}{{ end }}',
    { nameKey: 'tool', argumentsKey: 'args', tag: '{' },
  ],
  ['nothing shown', '{{ .Tools }}{{ range .Messages }}{{ .Content }}{{ end }}', { ...usual, tag: '{' }],
  [
    'no JSON',
    '{{ range .Messages }}{{ range .ToolCalls }}call {{ .Function.Name }}{{ end }}{{ end }}',
    { ...usual, tag: 'call' },
  ],
])('%s', (_, source, format) => {
  expect(formatOf(source)).toEqual(format);
});

test('Jinja texts show their tag', () => {
  expect(guessToolFormat("{{ '<tool_call>' }}").tag).toBe('<tool_call>');
  expect(guessToolFormat('{{ tools }}').tag).toBe('{');
});
