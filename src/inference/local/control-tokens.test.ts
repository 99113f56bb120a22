import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callSyntaxOf } from '../../formats/chat/detect-call-syntax.ts';
import { createJinjaPromptTemplate } from '../../formats/chat/prompt-template.ts';
import { parseTemplate } from '../../formats/go-template/template.ts';
import { controlTokensOf, withoutControlTokens } from './split-answer.ts';

const templateOf = (source: string) =>
  createJinjaPromptTemplate({ source, bosToken: '', eosToken: '' }, { render: async () => '' });
const none = { thinks: false, calls: false };

test('the tags of thinking and calls are kept if they are searched', () => {
  const gemma = templateOf("{{ tools }} '<|channel>thought' '<channel|>' '<|tool_call>'");
  expect(controlTokensOf(gemma, none)).toEqual([]);
  expect(controlTokensOf(gemma, { thinks: true, calls: false })).toEqual(['<|channel>', '<channel|>']);
  expect(controlTokensOf(gemma, { thinks: false, calls: true })).toEqual(
    expect.arrayContaining(['<|tool_call>', '<tool_call|>', '<|"|>']),
  );
  const deepseek = templateOf("{{ tools }} '<｜tool▁calls▁begin｜>'");
  expect(controlTokensOf(deepseek, { thinks: false, calls: true })).toEqual(
    expect.arrayContaining(['<｜tool▁calls▁begin｜>', '<｜tool▁call▁end｜>', '<｜tool▁sep｜>']),
  );
});

test('channels are always read', () => {
  const channels = templateOf("'<|start|>' '<|channel|>' '<|message|>'");
  expect(controlTokensOf(channels, none)).toEqual(expect.arrayContaining(['<|channel|>', '<|message|>', '<|end|>']));
});

test('marks that are left are removed from content; text that only looks like one stays', () => {
  const marks = ['[TOOL_CALLS]', '<|python_tag|>', '<tool_call>'];
  expect(withoutControlTokens('a[TOOL_CALLS]b<|python_tag|>c <tool_call>', marks)).toBe('abc <tool_call>');
  expect(withoutControlTokens('a <|other|>', marks)).toBe('a <|other|>');
});

// Ollama finds the format of calls only behind this condition.
test.each(['ember', 'ember-thinks'])('the template of %s tests .ToolCalls before it writes calls', (name) => {
  const source = readFileSync(new URL(`../../../models/${name}.template`, import.meta.url), 'utf8');
  expect(source).toMatch(/\{\{-? if \.ToolCalls \}\}\{\{-? range \.ToolCalls \}\}<tool_call>/);
  expect(callSyntaxOf(parseTemplate(source), source).layout.triggers).toEqual([
    { text: '<tool_call>', atStart: false },
  ]);
});
