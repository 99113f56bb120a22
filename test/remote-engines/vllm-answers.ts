// Answers of a real vLLM, which somebody else runs or which Hearth has started: the same rules hold for both.

import { describe, expect, test } from 'vitest';
import { messageEventsOf, postMessages } from '../support/anthropic.ts';
import { post } from '../support/client.ts';
import { eventsOf, postChat, postCompletion, postResponse } from '../support/openai.ts';
import { hello as messages, type RemoteFixture } from './remote-fixture.ts';

export const short = { num_predict: 8, temperature: 0 };
/** A model without a meaning puts many spaces between the words that a schema demands. */
const lively = { num_predict: 900, temperature: 2 };
const flags = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};
const tool = { type: 'function', function: { name: 'report', description: 'Reports a fact', parameters: flags } };

interface AnswersOptions {
  /** A model of random weights. */
  readonly model: string;
  readonly contextLength: number;
  readonly fixture: () => RemoteFixture;
}

export function describeAnswers({ model, contextLength, fixture }: AnswersOptions): void {
  const url = (): string => fixture().server.url;

  describe('answers', () => {
    test('a chat has the counts of vLLM, streamed and not', async () => {
      const { objects, text } = await fixture().ask({ model, options: short });
      expect(objects[0], text).toMatchObject({ done: true, eval_count: 8, done_reason: 'length' });
      expect(objects[0]?.prompt_eval_count).toBeGreaterThan(0);
      const lines = await fixture().stream({ model, options: short });
      expect(lines.at(-1)).toMatchObject({ done: true, eval_count: 8 });
    });

    test('a completion without a limit is about as long as the context allows', async () => {
      const body = { model, prompt: 'hello', raw: true, stream: false };
      const limited = await post(url(), '/api/generate', { ...body, options: short });
      expect(limited.objects[0], limited.text).toMatchObject({ done: true, eval_count: 8 });
      const { objects, text } = await post(url(), '/api/generate', { ...body, options: { temperature: 0 } });
      expect(objects[0]?.eval_count, text).toBeGreaterThan(0.9 * contextLength);
    });

    test('the other dialects answer, with their usage', async () => {
      const limit = { model, max_tokens: 4, temperature: 0 };
      const chat = await postChat(url(), { ...limit, messages });
      expect(chat.body.usage).toMatchObject({ completion_tokens: 4 });
      const streaming = { stream: true, stream_options: { include_usage: true } };
      const { objects, ended } = eventsOf((await postChat(url(), { ...limit, messages, ...streaming })).text);
      expect(ended).toBe(true);
      expect(objects.at(-1)?.usage).toMatchObject({ completion_tokens: 4 });
      const completion = await postCompletion(url(), { ...limit, prompt: 'hello' });
      expect(completion.body.usage).toMatchObject({ completion_tokens: 4 });
      const response = await postResponse(url(), { model, input: 'hello', max_output_tokens: 16, temperature: 0 });
      expect(response.body.usage).toMatchObject({ output_tokens: 16 });
      const { text } = await postMessages(url(), { ...limit, messages, stream: true });
      expect(messageEventsOf(text).at(-1)?.type).toBe('message_stop');
    });

    test('each token has its log probability, in chats and in completions', async () => {
      const limits = { model, logprobs: true, top_logprobs: 2, options: short };
      const chat = await fixture().ask(limits);
      const completion = await post(url(), '/api/generate', { ...limits, prompt: 'hello', raw: true, stream: false });
      for (const { objects, text } of [chat, completion]) {
        const { logprobs = [] } = objects[0] ?? {};
        expect(logprobs, text).toHaveLength(8);
        for (const { logprob, top_logprobs } of logprobs) {
          expect(logprob).toBeLessThanOrEqual(0);
          expect(top_logprobs).toHaveLength(2);
        }
      }
    });

    test('a schema and a grammar are held', async () => {
      const held = await fixture().ask({ model, format: flags, options: lively });
      expect(JSON.parse(held.objects[0]?.message?.content ?? ''), held.text).toEqual({ ok: expect.any(Boolean) });
      const format = { type: 'gbnf', grammar: 'root ::= ("yes" | "no") "."' };
      const matched = await fixture().ask({ model, format, options: lively });
      expect(matched.objects[0]?.message?.content, matched.text).toMatch(/^(yes|no)\.$/);
    });

    test('a required tool is called with arguments that follow its schema', async () => {
      const { name } = tool.function;
      for (const tool_choice of ['required', { type: 'function', function: { name } }]) {
        const body = { model, messages, tools: [tool], tool_choice, max_tokens: 900, temperature: 2 };
        const reply = await postChat(url(), body);
        const call = reply.body.choices?.[0]?.message.tool_calls?.[0];
        expect(call?.function.name, reply.text).toBe(name);
        expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ ok: expect.any(Boolean) });
      }
    });

    test('texts come back from their tokens', async () => {
      const { objects } = await post<{ tokens: number[] }>(url(), '/api/tokenize', { model, text: 'hello world' });
      const { tokens = [] } = objects[0] ?? {};
      expect(tokens).toHaveLength(2);
      const back = await post<{ text: string }>(url(), '/api/detokenize', { model, tokens });
      expect(back.objects[0]?.text).toBe('hello world');
    });
  });
}
