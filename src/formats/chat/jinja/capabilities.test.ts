import { expect, test } from 'vitest';
import { jinjaAbilities } from './capabilities.ts';

test.each([
  ['{% if tools %}', { tools: true, thinking: false }],
  ['{{ message.tool_calls }}', { tools: true, thinking: false }],
  ["{{ '<think>' + x + '</think>' }}", { tools: false, thinking: true }],
  ["{{ x.split('</think>')[-1] }}", { tools: false, thinking: false }],
])('%s', (source, abilities) => {
  expect(jinjaAbilities(source)).toEqual(abilities);
});
