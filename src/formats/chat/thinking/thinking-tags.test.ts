import { describe, expect, test } from 'vitest';
import { parseTemplate } from '../../go-template/template.ts';
import { thinkingTagsOf, withoutThought } from './thinking-tags.ts';

describe('the tags of a template', () => {
  test.each([
    [
      'stand around the thinking of earlier messages',
      '{{ range .Messages }}{{ if .Thinking }}\n<think>{{ .Thinking }}</think>\n{{ end }}{{ .Content }}{{ end }}',
      { open: '<think>', close: '</think>' },
    ],
    [
      'may be any',
      '{{ range $i, $m := .Messages }}{{ with $m.Thinking }}{{ end }}{{ if $m.Thinking }}[THINK] {{ $m.Thinking }} [/THINK]{{ end }}{{ end }}',
      { open: '[THINK]', close: '[/THINK]' },
    ],
    ['are none where thoughts are not shown', '{{ range .Messages }}<think>{{ .Content }}</think>{{ end }}', undefined],
    ['are none outside a loop', '<think>{{ .Thinking }}</think>{{ .Prompt }}', undefined],
    [
      'are none where one is missing',
      '{{ range .Messages }}{{ if .Thinking }}{{ .Thinking }}|{{ end }}{{ end }}',
      undefined,
    ],
    ['are none in a plain template', '{{ .Prompt }}', undefined],
  ])('%s', (_, template, expected) => {
    expect(thinkingTagsOf(parseTemplate(template))).toEqual(expected);
  });
});

test('a thought is taken out of an old answer, if it is whole', () => {
  const tags = { open: '<think>', close: '</think>' };
  expect(withoutThought('<think>a</think>\n\nb', tags)).toBe('b');
  expect(withoutThought('b <think>a</think>', tags)).toBe('b <think>a</think>');
  expect(withoutThought('<think>a', tags)).toBe('<think>a');
});
