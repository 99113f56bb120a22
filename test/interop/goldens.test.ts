// The templates that Ollama's source has, with the texts that it expects of them, byte for byte. Nothing of them is in
// this repository: HEARTH_OLLAMA_SOURCE is a folder with that source.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderMessages } from '../../src/formats/chat/render-prompt.ts';
import { parseTemplate } from '../../src/formats/go-template/template.ts';
import { toChatInput } from '../../src/server/dialects/ollama/generation/chat-route.ts';
import type { ChatRequestBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';

const source = process.env['HEARTH_OLLAMA_SOURCE'] ?? '';
const read = (...path: readonly string[]): string => readFileSync(join(source, ...path), 'utf8');
const namesIn = (folder: string, ending: string): string[] =>
  existsSync(join(source, folder))
    ? readdirSync(join(source, folder))
        .filter((name) => name.endsWith(ending))
        .sort()
    : [];

function render(template: string, request: Pick<ChatRequestBody, 'messages' | 'tools'>): string {
  return renderMessages(parseTemplate(template), toChatInput({ model: 'm', ...request } as ChatRequestBody));
}

/** The conversations of Ollama's test, each under the roles of its messages. */
function readConversations(): ReadonlyMap<string, { role: string; content: string }[]> {
  const [, table = ''] = read('template/template_test.go').split('[][]api.Message{');
  const conversations = table
    .slice(0, table.indexOf('} {'))
    .split('\n\t\t},')
    .map((block) => [...block.matchAll(/\{Role: "(\w+)", Content: "([^"]*)"\}/g)])
    .filter((messages) => messages.length > 0)
    .map((messages) => messages.map(([, role = '', content = '']) => ({ role, content })));
  return new Map(conversations.map((messages) => [messages.map(({ role }) => role).join('-'), messages]));
}

describe('conversations', () => {
  // Their texts were stored without the space at the end. Ollama's own test removes it, too.
  const endWithSpace = ['chatqa', 'llama2-chat', 'mistral-instruct', 'openchat', 'vicuna'];
  const cases = namesIn('template/testdata', '.gotmpl').flatMap((template) =>
    [...readConversations()].map(([roles, messages]) => ({ template, roles, messages })),
  );

  test('the source has at least sixty', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  test.each(cases)('$template $roles', ({ template, roles, messages }) => {
    const text = render(read('template', template), { messages });
    const isCut = endWithSpace.includes(template.slice(0, -'.gotmpl'.length));
    expect(isCut ? text.replace(/ $/, '') : text).toBe(read('template/testdata', template, roles));
  });
});

describe('tools', () => {
  const folder = 'tools/testdata';
  const cases = namesIn(folder, '.out').map((name) => ({ name: name.slice(0, -'.out'.length) }));

  test('the source has at least nine', () => {
    expect(cases.length).toBeGreaterThanOrEqual(9);
  });

  test.each(cases)('$name', ({ name }) => {
    const messages = JSON.parse(read(folder, 'messages.json'));
    const tools = JSON.parse(read(folder, 'tools.json'));
    expect(render(read(folder, `${name}.gotmpl`), { messages, tools })).toBe(read(folder, `${name}.out`));
  });
});
