import { describe, expect, test } from 'vitest';
import { findFormat } from './find-format.ts';
import { writtenTexts } from './written-text.ts';

describe('texts that a template writes', () => {
  test.each([
    ['a{{ \'b\' + c + "d\\n" }}e', ['a', 'b', 'd\n', 'e']],
    ["x\n    {{ raise_exception('not this') }}{# nor 'this' ##}y", ['x', 'y']],
    ['{% if a %}\n  {% set b = 1 %}\nc\n{%- endif -%}\n d', ['c', 'd']],
    ["{{ '}}' }}{{ \"it's\" }}{{ 'a\\'b' }}", ['}}', "it's", "a'b"]],
    ['a  {{ b }}  c', ['a  ', '  c']],
  ])('%s', (source, texts) => {
    expect(writtenTexts(source)).toEqual(texts);
  });

  test.each(['{{ a', '{# a', "{{ 'a }}"])('%s does not end', (source) => {
    expect(writtenTexts(source)).toBeUndefined();
  });
});

const zephyr =
  "{% set heads = {'system': '<|system|>\\n', 'user': '<|user|>\\n', 'assistant': '<|assistant|>\\n'} %}" +
  "{% for message in messages %}{{ heads[message.role] + message.content + eos_token + '\\n' }}{% endfor %}" +
  "{{ '<|assistant|>\\n' }}";

test("the model's own end-of-text token stands in the template", () => {
  expect(findFormat(zephyr)?.template).toContain('</s>');
  const found = findFormat(zephyr, '<|endoftext|>');
  expect(found?.name).toBe('zephyr');
  expect(found?.template).toContain('<|endoftext|>');
  expect(found?.template).not.toContain('</s>');
  expect(found?.stop).toContain('<|endoftext|>');
});

test('a token that would be code in it is not taken', () => {
  expect(findFormat(zephyr, '{{ .Evil }}')).toBeUndefined();
});

test.each([
  ['nothing', ''],
  ['a text without marks', '{{ messages[0].content }}'],
  ['what is too long to look at', `${zephyr}${' '.repeat(70_000)}`],
  ['marks of two formats', `${zephyr}{{ '<|im_start|>' }}`],
])('%s is of no format', (_, source) => {
  expect(findFormat(source)).toBeUndefined();
});
