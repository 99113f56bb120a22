import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseTemplate } from '../go-template/template.ts';
import { callSyntaxOf, jinjaCallSyntax } from './detect-call-syntax.ts';
import type { CallSyntax, CallTexts } from './tool-calls/call-syntax.ts';

const withoutLayout = ({ layout: _, ...texts }: CallSyntax): CallTexts => texts;
const syntaxOf = (source: string) => withoutLayout(callSyntaxOf(parseTemplate(source), source));
const defaults = { nameKey: 'name', argumentsKey: 'arguments' };

test('the template of Ember', () => {
  const source = readFileSync(new URL('../../../models/ember.template', import.meta.url), 'utf8');
  expect(syntaxOf(source)).toEqual({ ...defaults, tag: '<tool_call>' });
});

test.each([
  [
    'a tag before every call',
    '{{ range .Messages }}{{ if .ToolCalls }}<tool_call>{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}</tool_call>{{ end }}{{ end }}',
    { ...defaults, tag: '<tool_call>' },
  ],
  [
    'a tag before a list, with parameters',
    '{{ range .Messages }}{{ if .ToolCalls }}[TOOL_CALLS] [{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}]{{ end }}{{ end }}',
    { nameKey: 'name', argumentsKey: 'parameters', tag: '[TOOL_CALLS] [' },
  ],
  [
    'objects without a tag and with other keys',
    '{{ range .Messages }}{{ range .ToolCalls }}{"tool": "{{ .Function.Name }}", "args": {{ json .Function.Arguments }}}{{ end }}{{ end }}',
    { nameKey: 'tool', argumentsKey: 'args', tag: '{' },
  ],
  ['no calls in the template', '{{ .Tools }}{{ range .Messages }}{{ .Content }}{{ end }}', { ...defaults, tag: '{' }],
  [
    'no JSON',
    '{{ range .Messages }}{{ range .ToolCalls }}call {{ .Function.Name }}{{ end }}{{ end }}',
    { ...defaults, tag: 'call' },
  ],
])('%s', (_, source, syntax) => {
  expect(syntaxOf(source)).toEqual(syntax);
});

test('the tag of a Jinja template', () => {
  expect(jinjaCallSyntax("{{ '<tool_call>' }}").tag).toBe('<tool_call>');
  expect(jinjaCallSyntax('{{ tools }}').tag).toBe('{');
});
