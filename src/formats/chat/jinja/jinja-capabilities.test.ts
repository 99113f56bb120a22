import { expect, test } from 'vitest';
import { jinjaCapabilities } from './jinja-capabilities.ts';

test.each([
  ['{% if tools %}', { tools: true, thinking: false }],
  ['{{ message.tool_calls }}', { tools: true, thinking: false }],
  ["{{ '<think>' + x + '</think>' }}", { tools: false, thinking: true }],
  ["{{ '<atem:invoke name=' }}", { tools: false, thinking: true }],
  ["{{ x.split('</think>')[-1] }}", { tools: false, thinking: false }],
])('%s', (source, capabilities) => {
  expect(jinjaCapabilities(source)).toEqual(capabilities);
});
