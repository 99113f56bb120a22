import { expect, test } from 'vitest';
import { prefersWeights } from './prefer-weights.ts';

const plain = { text: '{{ .Prompt }}', supportsTools: false, supportsInsertion: false, thinkingTags: undefined };
const tags = { open: '<think>', close: '</think>' };
const withTools = { ...plain, text: '{{ .Tools }}', supportsTools: true };
const withResults = { ...withTools, text: '{{ .Tools }}{{ .ToolCalls }}<tool_response>' };
const jinjaTools = '{{ tools }}';
const jinjaResults = "{{ tools }}{{ message.tool_calls }}{% if message.role == 'tool' %}";
const jinjaThinking = '<think></think>';

test.each([
  ['the weights can do nothing more', '{{ messages }}', plain, false],
  ['only the weights know tools', jinjaTools, plain, true],
  ['only the weights know thinking', jinjaThinking, plain, true],
  ['the weights lose results of tools', jinjaTools + jinjaThinking, withResults, false],
  ['the weights can do more, and write results', jinjaResults + jinjaThinking, withResults, true],
  ['only the weights write results', jinjaResults, withTools, true],
  ['both write results', jinjaResults, withResults, false],
  ['both know only tools', jinjaTools, withTools, false],
  ['other abilities of the same number', jinjaThinking, withTools, false],
  ['the template can insert', jinjaResults, { ...plain, supportsInsertion: true }, false],
  ['both think', jinjaThinking, { ...plain, thinkingTags: tags }, false],
])('%s', (_, jinja, own, expected) => {
  expect(prefersWeights(jinja, own)).toBe(expected);
});
