// `format` with a grammar: {"type": "gbnf", "grammar": …}. Each test name states a rule.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, chat, generate, postChat } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const gbnf = (grammar: string) => ({ type: 'gbnf', grammar });
const messages = [{ role: 'user', content: 'Is the sky blue?' }];

test('the answer matches the grammar, in generate and in chat', async () => {
  const format = gbnf('root ::= ("yes" | "no") ", " [a-z]{3} "."');
  const { response } = await generate(url, { prompt: 'Is the sky blue?', format });
  expect(response).toMatch(/^(yes|no), [a-z]{3}\.$/);
  expect((await chat(url, { messages, format })).message?.content).toMatch(/^(yes|no), [a-z]{3}\.$/);
});

test('multi-byte characters, negated classes and recursion', async () => {
  const format = gbnf('root ::= "«" [^«»\\n]{1,5} "»" tail\ntail ::= "é" | "(" tail ")"');
  for (const seed of [1, 2, 3]) {
    const options = { seed, temperature: 1.5, num_predict: 80 };
    const { response } = await generate(url, { prompt: 'Say something.', format, options });
    // The model may open parentheses until its limit.
    expect(response).toMatch(/^«[^«»\n]{1,5}»\(*(é\)*)?$/u);
  }
});

test.each([
  ['a syntax error', 'root ::= (', 'cannot be parsed'],
  ['left recursion', 'root ::= root "a" | "a"', 'left recursion'],
  ['no finite text', 'root ::= "a" root', 'no finite text'],
  ['a grammar that is too long', `root ::= "${'a'.repeat(70_000)}"`, 'longer than'],
])('%s is a 400 with the reason', async (_, grammar, reason) => {
  const { status, objects } = await postChat(url, { messages, format: gbnf(grammar) });
  expect([status, objects[0]?.error]).toEqual([400, expect.stringContaining(reason)]);
});

test('a missing grammar is a 400', async () => {
  const { status } = await postChat(url, { messages, format: { type: 'gbnf' } });
  expect(status).toBe(400);
});

test('an ambiguous grammar does not block other requests', async () => {
  const format = gbnf(`root ::= "a" root? ${'"a"? '.repeat(20)}`);
  const hostile = generate(url, { prompt: 'a', format, options: { num_predict: 300 } }).catch((error: Error) => error);
  expect(await ask(url, 'Who are you?', { temperature: 0 })).toContain('Ember');
  await hostile;
  expect(await ask(url, 'Who are you?', { temperature: 0 })).toContain('Ember');
});
