import { expect, test } from 'vitest';
import type { ConnectTarget } from './snippet.ts';
import { snippetGroups } from './snippet-groups.ts';

const target: ConnectTarget = {
  url: 'https://models.example:11434',
  model: 'team/qwen3:8b',
  context: 32_768,
  hasTools: true,
  hasVision: false,
  needsKey: false,
};
const snippets = snippetGroups.flatMap((group) => group.snippets);

test.each(snippets)('$title has the address and the model', ({ title, code }) => {
  const text = code(target);
  expect(text).toContain(target.url);
  // Zed lists the models itself.
  if (title !== 'Zed') expect(text).toContain(target.model);
  expect(text).not.toContain('HEARTH_API_KEY');
});

test.each(snippets)('$title names the variable of the key, or its note does', ({ code, note, title }) => {
  const text = `${code({ ...target, needsKey: true })}\n${note}`;
  // hearth reads the variable without being told. Zed and VS Code have ways of their own.
  const own: Readonly<Record<string, string>> = { hearth: 'hearth run', Zed: 'OLLAMA_API_KEY', 'VS Code': 'the key' };
  expect(text).toContain(own[title] ?? 'HEARTH_API_KEY');
});

test.each(snippets.filter(({ language }) => language === 'json'))('$title is JSON', ({ code }) => {
  expect(() => JSON.parse(code(target))).not.toThrow();
});
