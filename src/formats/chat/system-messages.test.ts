import { afterAll, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import { parseTemplate } from '../go-template/template.ts';
import { createJinjaRenderer } from './jinja/jinja-renderer.ts';
import type { Message } from './message.ts';
import { createJinjaPromptTemplate } from './prompt-template.ts';
import { type PromptConversation, renderMessages, renderWithSystem } from './render-prompt.ts';

const renderer = createJinjaRenderer(systemClock);
afterAll(renderer.stop);

const system = (content: string): Message => ({ role: 'system', content });
const user = (content: string): Message => ({ role: 'user', content });
const answer: Message = { role: 'assistant', content: 'A' };
const conversation = (...messages: readonly Message[]) => ({ messages, tools: [] });

const shown = "[{{ message['role'] }}: {{ message['content'] }}]";
const jinja = (source: string) => createJinjaPromptTemplate({ source, bosToken: '', eosToken: '' }, renderer);

test('a template that rejects system messages gets them with the next question', async () => {
  const strict = jinja(
    `{% for message in messages %}{% if message['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}${shown}{% endfor %}`,
  );
  expect(await strict.renderConversation(conversation(system('S'), user('Q'), answer, user('R')))).toBe(
    '[user: S\n\nQ][assistant: A][user: R]',
  );
  expect(await strict.renderConversation(conversation(user('Q'), answer, system('S'), user('R')))).toBe(
    '[user: Q][assistant: A][user: S\n\nR]',
  );
});

test('a template that leaves them out, too', async () => {
  const silent = jinja(
    `{% for message in messages %}{% if message['role'] != 'system' %}${shown}{% endif %}{% endfor %}`,
  );
  expect(await silent.renderConversation(conversation(system(' S\n'), user('Q')))).toBe('[user:  S\n\n\nQ]');
  const source = '{{ range .Messages }}{{ if eq .Role "user" }}[{{ .Content }}]{{ end }}{{ end }}';
  const render = async (input: PromptConversation): Promise<string> => renderMessages(parseTemplate(source), input);
  expect(await renderWithSystem(conversation(system('S'), user('Q')), render)).toBe('[S\n\nQ]');
});

test('a template that shows them is rendered once', async () => {
  let count = 0;
  const render = async ({ messages }: { readonly messages: readonly Message[] }): Promise<string> => {
    count++;
    return messages.map(({ content }) => content.trim()).join('|');
  };
  expect(await renderWithSystem(conversation(system(' S '), user('Q')), render)).toBe('S|Q');
  expect(await renderWithSystem(conversation(user('Q')), render)).toBe('Q');
  expect(count).toBe(2);
});

test('without a question the outcome of the template stays', async () => {
  const reject = async (): Promise<string> => {
    throw new HearthError('bad_template', 'no system');
  };
  await expect(renderWithSystem(conversation(system('S')), reject)).rejects.toThrow('no system');
  expect(await renderWithSystem(conversation(system('S')), async () => '')).toBe('');
});

test('a message after the last question joins it', async () => {
  const render = async ({ messages }: { readonly messages: readonly Message[] }): Promise<string> =>
    messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content)
      .join('|');
  expect(await renderWithSystem(conversation(user('Q'), answer, system('S')), render)).toBe('S\n\nQ');
});
