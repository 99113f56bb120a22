import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseTemplate, type Template } from '../go-template/template.ts';
import type { Message } from './message.ts';
import { collate } from './message.ts';
import { renderInsertion, renderMessages } from './render-prompt.ts';

const ember = parseTemplate(readFileSync(new URL('../../../models/ember.template', import.meta.url), 'utf8'));
const render = (template: Template, messages: readonly Message[]): string =>
  renderMessages(template, { messages, tools: [] });
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });

describe('the template of Ember', () => {
  test('a question', () => {
    expect(render(ember, [user('Who are you?')])).toBe(
      '<|im_start|>user\nWho are you?<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('with a system message and an earlier turn', () => {
    expect(render(ember, [system('Be brief.'), user('Hi'), assistant('Hello!'), user('Bye')])).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n' +
        '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n' +
        '<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('a gap to fill', () => {
    expect(renderInsertion(ember, { prompt: 'def add(a, b):\n    return ', suffix: '\n' })).toBe(
      '<|fim_prefix|>def add(a, b):\n    return <|fim_suffix|>\n<|fim_middle|>',
    );
  });
});

describe('templates that describe one turn', () => {
  const template = parseTemplate('{{ if .System }}S:{{ .System }};{{ end }}U:{{ .Prompt }};A:{{ .Response }}.');

  test('an assistant message at the end is continued', () => {
    expect(render(template, [user('a'), assistant('b')])).toBe('U:a;A:b');
  });

  test('a later system message begins a new turn', () => {
    expect(render(template, [user('a'), assistant('b'), system('s'), user('c')])).toBe('U:a;A:b.S:s;U:c;A:');
  });

  test('the response comes last if the template does not mention it', () => {
    expect(render(parseTemplate('{{ .Prompt }}'), [user('a'), assistant('b'), user('c')])).toBe('abc');
  });
});

test('templates with a loop see all messages, and the joined system messages', () => {
  const template = parseTemplate('[{{ .System }}]{{ range .Messages }}{{ .Role }}={{ .Content }};{{ end }}');
  expect(render(template, [system('s'), user('a'), system('t')])).toBe('[s\n\nt]system=s;user=a;system=t;');
});

test('consecutive messages of one role are joined', () => {
  expect(collate([user('a'), user('b'), assistant('c'), user('d')])).toEqual([
    user('a\n\nb'),
    assistant('c'),
    user('d'),
  ]);
});
