// Compares how templates see tools and calls with Ollama: every case of tools/cases.json must render to the text in
// tools/golden.json.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderMessages } from '../../src/formats/chat/render-prompt.ts';
import { parseTemplate } from '../../src/formats/go-template/template.ts';
import { toChatInput } from '../../src/server/dialects/ollama/generation/chat-route.ts';
import type { ChatRequestBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';

interface Case extends Pick<ChatRequestBody, 'messages' | 'tools'> {
  readonly name: string;
  readonly template: string;
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(`tools/${name}`, import.meta.url), 'utf8'));
const cases = readJson('cases.json') as readonly Case[];
const golden = readJson('golden.json') as Readonly<Record<string, string>>;

function render({ template, messages, tools }: Case): string {
  const input = toChatInput({ model: 'm', messages, tools } as ChatRequestBody);
  return renderMessages(parseTemplate(template), input);
}

describe('templates see tools and calls as in Ollama', () => {
  test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (name, entry) => {
    expect(render(entry)).toBe(golden[name]);
  });

  test('cases and golden texts correspond', () => {
    expect(Object.keys(golden).sort()).toEqual(cases.map(({ name }) => name).sort());
  });
});
