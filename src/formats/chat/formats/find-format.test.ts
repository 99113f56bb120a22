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

  test.each(['{{ a', '{# a', "{{ 'a }}"])('unterminated: %s', (source) => {
    expect(writtenTexts(source)).toBeUndefined();
  });
});

const zephyr =
  "{% set heads = {'system': '<|system|>\\n', 'user': '<|user|>\\n', 'assistant': '<|assistant|>\\n'} %}" +
  "{% for message in messages %}{{ heads[message.role] + message.content + eos_token + '\\n' }}{% endfor %}" +
  "{{ '<|assistant|>\\n' }}";

test("the template contains the model's end-of-text token", () => {
  expect(findFormat(zephyr)?.template).toContain('</s>');
  const found = findFormat(zephyr, '<|endoftext|>');
  expect(found?.name).toBe('zephyr');
  expect(found?.template).toContain('<|endoftext|>');
  expect(found?.template).not.toContain('</s>');
  expect(found?.stop).toContain('<|endoftext|>');
});

test('an end-of-text token that contains template code is rejected', () => {
  expect(findFormat(zephyr, '{{ .Evil }}')).toBeUndefined();
});

test.each([
  ['an empty template', ''],
  ['a text without marks', '{{ messages[0].content }}'],
  ['a template that is too long', `${zephyr}${' '.repeat(70_000)}`],
  ['marks of two formats', `${zephyr}{{ '<|im_start|>' }}`],
])('no format: %s', (_, source) => {
  expect(findFormat(source)).toBeUndefined();
});
