import { describe, expect, test } from 'vitest';
import { parseTemplate } from '../../go-template/template.ts';
import { stripThinking, thinkingTagsOf } from './thinking-tags.ts';

describe('the tags of a template', () => {
  test.each([
    [
      'enclose the thinking of earlier messages',
      '{{ range .Messages }}{{ if .Thinking }}\n<think>{{ .Thinking }}</think>\n{{ end }}{{ .Content }}{{ end }}',
      { open: '<think>', close: '</think>' },
    ],
    [
      'may be any text',
      '{{ range $i, $m := .Messages }}{{ with $m.Thinking }}{{ end }}{{ if $m.Thinking }}[THINK] {{ $m.Thinking }} [/THINK]{{ end }}{{ end }}',
      { open: '[THINK]', close: '[/THINK]' },
    ],
    [
      'are absent if thinking is not rendered',
      '{{ range .Messages }}<think>{{ .Content }}</think>{{ end }}',
      undefined,
    ],
    ['are absent outside a loop', '<think>{{ .Thinking }}</think>{{ .Prompt }}', undefined],
    [
      'are absent if one is missing',
      '{{ range .Messages }}{{ if .Thinking }}{{ .Thinking }}|{{ end }}{{ end }}',
      undefined,
    ],
    ['are absent in a plain template', '{{ .Prompt }}', undefined],
  ])('%s', (_, template, expected) => {
    expect(thinkingTagsOf(parseTemplate(template))).toEqual(expected);
  });
});

test('complete thinking is removed from an earlier answer', () => {
  const tags = { open: '<think>', close: '</think>' };
  expect(stripThinking('<think>a</think>\n\nb', tags)).toBe('b');
  expect(stripThinking('b <think>a</think>', tags)).toBe('b <think>a</think>');
  expect(stripThinking('<think>a', tags)).toBe('<think>a');
});
