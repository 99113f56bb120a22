// `logprobs` and `top_logprobs`, natively and in the OpenAI dialect, also of prompts; /api/score; /api/compare; `shift` and `truncate`; `think`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ComparisonResponseBody } from '../../src/server/dialects/hearth/generation/compare-schema.ts';
import type { ScoreResponseBody } from '../../src/server/dialects/hearth/generation/score-schema.ts';
import type { CompletionResponseBody } from '../../src/server/dialects/openai/completions/completions-schema.ts';
import type { LogprobBody } from '../../src/server/dialects/shared/logprobs-schema.ts';
import { openPlainLoop } from '../real/plain-loop.ts';
import { chat, generate, post, postChat } from '../support/client.ts';
import { eventsOf, postCompletion, postChat as postOpenAi } from '../support/openai.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const prompt = 'Why is the sky blue?';
const messages = [{ role: 'user', content: prompt }];
const options = { temperature: 0, num_predict: 8 };
const textIn = (logprobs: readonly LogprobBody[] = []): string =>
  Buffer.from(logprobs.flatMap(({ bytes }) => bytes)).toString();

describe('logprobs', () => {
  test('generate: an entry per token, whose bytes make up the text', async () => {
    const { response, logprobs = [], eval_count } = await generate(url, { prompt, options, logprobs: true });
    expect(logprobs).toHaveLength(eval_count as number);
    expect(textIn(logprobs)).toBe(response);
    for (const entry of logprobs) {
      expect(Object.keys(entry).sort()).toEqual(['bytes', 'logprob', 'token']);
      expect(entry.logprob).toBeLessThanOrEqual(0);
      expect(Buffer.from(entry.bytes).toString()).toBe(entry.token);
    }
  });

  test('chat: each entry has the most likely tokens; greedy sampling chooses the first', async () => {
    const greedy = { ...options, repeat_penalty: 1 };
    const { message, logprobs = [] } = await chat(url, { messages, options: greedy, logprobs: true, top_logprobs: 3 });
    expect(textIn(logprobs)).toBe(message?.content);
    for (const { token, logprob, top_logprobs = [] } of logprobs) {
      expect(top_logprobs).toHaveLength(3);
      expect(top_logprobs[0]).toMatchObject({ token, logprob });
      expect(top_logprobs.map((top) => top.logprob)).toEqual(
        top_logprobs.map((top) => top.logprob).sort((a, b) => b - a),
      );
      expect(top_logprobs.reduce((sum, top) => sum + Math.exp(top.logprob), 0)).toBeLessThanOrEqual(1.001);
    }
  });

  test('streamed: each chunk has the entries of its text', async () => {
    const { objects } = await postChat(url, { messages, options, logprobs: true });
    for (const { message, logprobs } of objects.slice(0, -1)) expect(textIn(logprobs)).toBe(message?.content);
  });

  test('tokens removed by a stop sequence are not reported', async () => {
    const { response: whole } = await generate(url, { prompt, options });
    const stop = [whole.slice(5, 9)];
    const { response, logprobs } = await generate(url, { prompt, options: { ...options, stop }, logprobs: true });
    expect(response).toBe(whole.slice(0, 5));
    expect(textIn(logprobs).startsWith(response)).toBe(true);
    expect(textIn(logprobs).length).toBeLessThan(response.length + 8);
  });

  test('in the OpenAI dialect, streamed or not', async () => {
    const body = { messages, temperature: 0, max_tokens: 8, logprobs: true, top_logprobs: 2 };
    const { body: answer } = await postOpenAi(url, body);
    const content = answer.choices[0]?.logprobs?.content ?? [];
    expect(textIn(content)).toBe(answer.choices[0]?.message.content);
    expect(content.every(({ top_logprobs }) => top_logprobs.length === 2)).toBe(true);
    const { text } = await postOpenAi(url, { ...body, stream: true });
    const streamed = eventsOf(text).objects.flatMap(({ choices: [choice] }) => choice?.logprobs?.content ?? []);
    expect(streamed).toEqual(content);
  });

  test('are absent by default, and limited to 20', async () => {
    expect(await generate(url, { prompt, options })).not.toHaveProperty('logprobs');
    for (const top_logprobs of [21, -1]) {
      const { status, objects } = await postChat(url, { messages, logprobs: true, top_logprobs });
      expect([status, objects[0]?.error]).toEqual([400, 'top_logprobs must be between 0 and 20']);
    }
  });
});

const sum = (numbers: readonly (number | null | undefined)[]): number =>
  numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
const tokensOf = async (text: string): Promise<readonly number[]> =>
  (await post<{ tokens: number[] }>(url, '/api/tokenize', { model: 'ember', text })).objects[0]?.tokens ?? [];

describe('log probabilities of a prompt', () => {
  const text = 'The sky is blue, and the sea is wide — naïve 👍 words.';
  const complete = async (body: object) => {
    const { status, body: answer, text: whole } = await postCompletion(url, { prompt: text, temperature: 0, ...body });
    if (status !== 200) throw new Error(whole);
    return answer.choices;
  };

  test('`echo` with `max_tokens` 0: the tokens of the prompt, their offsets, null for the first, and no answer', async () => {
    const [choice] = await complete({ echo: true, logprobs: 1, max_tokens: 0 });
    expect(choice).toMatchObject({ text, finish_reason: 'length' });
    const { tokens = [], token_logprobs = [], top_logprobs = [], text_offset = [] } = choice?.logprobs ?? {};
    expect(tokens).toHaveLength((await tokensOf(text)).length);
    expect([token_logprobs[0], top_logprobs[0], text_offset[0]]).toEqual([null, null, 0]);
    for (const logprob of token_logprobs.slice(1)) expect(logprob).toBeLessThanOrEqual(0);
    for (const [index, top] of top_logprobs.slice(1).entries())
      expect(Object.values(top ?? {})).toContain(token_logprobs[index + 1]);
    const whole = tokens.filter((token) => !token.includes('\uFFFD'));
    expect(whole.length).toBeGreaterThan(10);
    for (const [index, token] of tokens.entries())
      if (!token.includes('\uFFFD')) expect(text.startsWith(token, text_offset[index])).toBe(true);
  });

  test('they are those of generated tokens, also for tokens that the prefix cache has', async () => {
    const [generated] = await complete({ logprobs: 0, max_tokens: 8, return_token_ids: true });
    const prompt = [...(generated?.prompt_token_ids ?? []), ...(generated?.token_ids ?? [])].slice(0, -1);
    const score = async () => (await complete({ prompt, echo: true, logprobs: 0, max_tokens: 0 }))[0]?.logprobs;
    for (const logprobs of [await score(), await score()]) {
      const { length } = generated?.prompt_token_ids ?? [];
      const expected = generated?.logprobs?.token_logprobs.slice(0, prompt.length - length) ?? [];
      const found = logprobs?.token_logprobs.slice(length) ?? [];
      expect(found).toHaveLength(expected.length);
      for (const [index, logprob] of found.entries()) expect(logprob).toBeCloseTo(expected[index] as number, 4);
    }
  });

  test('they are those of a plain loop over the same weights', async () => {
    const { objects } = await post<{ modelfile: string }>(url, '/api/show', { model: 'ember' });
    const plain = openPlainLoop(/^FROM (.*)$/m.exec(objects[0]?.modelfile ?? '')?.[1] ?? '', 512);
    try {
      const prompt = await tokensOf(text.repeat(8));
      const expected = plain.score(prompt);
      const [choice] = await complete({ prompt, echo: true, logprobs: 0, max_tokens: 0 });
      const found = choice?.logprobs?.token_logprobs.slice(1) ?? [];
      expect(found).toHaveLength(expected.length);
      const differences = found.map((logprob, index) => Math.abs((logprob ?? 0) - (expected[index] ?? 0)));
      expect(Math.max(...differences)).toBeLessThan(1e-4);
    } finally {
      plain.close();
    }
  });

  test('every generated token has an entry, also the one that ends the answer', async () => {
    const [end = 0] = await tokensOf('<|im_end|>');
    const body = { echo: true, logprobs: 1, max_tokens: 1, logit_bias: { [end]: 100 } };
    const [choice] = await complete({ ...body, return_token_ids: true });
    expect(choice).toMatchObject({ text, finish_reason: 'stop', token_ids: [end] });
    expect(choice?.logprobs?.tokens).toHaveLength((choice?.prompt_token_ids?.length ?? 0) + 1);
    expect(choice?.logprobs?.tokens.at(-1)).toBe('<|im_end|>');
  });

  test('a string, strings, tokens and lists of tokens have the same', async () => {
    const tokens = await tokensOf(text);
    const body = { echo: true, logprobs: 2, max_tokens: 0 };
    const [one] = await complete(body);
    const forms = await Promise.all(
      [[text, text], tokens, [tokens, tokens]].map((prompt) => complete({ ...body, prompt })),
    );
    expect(forms.map(({ length }) => length)).toEqual([2, 1, 2]);
    for (const { text: echoed, logprobs } of forms.flat()) {
      expect(echoed).toBe(text);
      expect(logprobs?.tokens).toEqual(one?.logprobs?.tokens);
      expect(logprobs?.text_offset).toEqual(one?.logprobs?.text_offset);
      expect(sum(logprobs?.token_logprobs ?? [])).toBeCloseTo(sum(one?.logprobs?.token_logprobs ?? []), 3);
    }
  });

  test('streamed: the same entries', async () => {
    const body = { prompt: text, temperature: 0, echo: true, logprobs: 1, max_tokens: 3 };
    const [one] = await complete(body);
    const { text: events } = await postCompletion(url, { ...body, stream: true });
    const parts = eventsOf<CompletionResponseBody>(events).objects.flatMap(({ choices }) => choices);
    expect(parts.map((part) => part.text).join('')).toBe(one?.text);
    expect(parts.flatMap(({ logprobs }) => logprobs?.text_offset ?? [])).toEqual(one?.logprobs?.text_offset);
    expect(parts.flatMap(({ logprobs }) => logprobs?.tokens ?? [])).toEqual(one?.logprobs?.tokens);
  });

  test('`prompt_logprobs` has the form of vLLM, in completions and in chat, but not in streams', async () => {
    const [choice] = await complete({ prompt_logprobs: 2, max_tokens: 1 });
    const tokens = await tokensOf(text);
    const entries = choice?.prompt_logprobs ?? [];
    expect(entries).toHaveLength(tokens.length);
    expect(entries[0]).toBeNull();
    for (const [index, token] of tokens.slice(1).entries()) {
      const candidates = Object.values(entries[index + 1] ?? {});
      const own = entries[index + 1]?.[String(token)];
      expect(candidates.map(({ rank }) => rank)).toEqual(expect.arrayContaining([1, 2]));
      expect(candidates.length).toBe((own?.rank ?? 0) > 2 ? 3 : 2);
    }
    const asked = { messages, max_tokens: 1, prompt_logprobs: 0 };
    const { body } = await postOpenAi(url, asked);
    expect(body.prompt_logprobs).toHaveLength(body.usage.prompt_tokens);
    const refused = [
      await postOpenAi(url, { ...asked, stream: true }),
      await postCompletion(url, { prompt, prompt_logprobs: 21 }),
    ];
    expect(refused.map(({ status, body: { error } }) => [status, error?.message])).toEqual([
      [400, 'prompt_logprobs is not available in a stream'],
      [400, 'prompt_logprobs must be between 0 and 20'],
    ]);
  });

  test('/api/generate: `prompt_logprobs`, with the template', async () => {
    const asked = { prompt, options: { ...options, num_predict: 1 }, prompt_logprobs: 1 };
    const { prompt_logprobs: entries = [], prompt_eval_count } = await generate(url, asked);
    expect(entries).toHaveLength(prompt_eval_count as number);
    expect(entries.map(({ token }) => token).join('')).toContain(prompt);
    expect(entries[0]?.logprob).toBeNull();
    expect(
      entries.slice(1).every(({ logprob, top_logprobs }) => (logprob ?? 1) <= 0 && top_logprobs?.length === 1),
    ).toBe(true);
  });

  test('a prompt that is too long is refused, not cut', async () => {
    const long = { prompt: 'word '.repeat(300), num_ctx: 128, echo: true, logprobs: 0, max_tokens: 0 };
    expect((await postCompletion(url, long)).status).toBe(400);
  });
});

describe('POST /api/score', () => {
  const score = async (body: object): Promise<ScoreResponseBody> => {
    const { status, objects } = await post<ScoreResponseBody>(url, '/api/score', { model: 'ember', ...body });
    if (status !== 200) throw new Error(JSON.stringify(objects));
    return objects[0] as ScoreResponseBody;
  };

  test('log likelihood, length and whether each token is the likeliest', async () => {
    const context = 'Once upon a time';
    const { body } = await postCompletion(url, { prompt: context, temperature: 0, logprobs: 0, max_tokens: 4 });
    const { text: greedy = '', logprobs } = body.choices[0] ?? {};
    const { scores } = await score({ context, continuations: [greedy, ' zebra!', await tokensOf(greedy)] });
    expect(scores.map(({ greedy: isGreedy }) => isGreedy)).toEqual([true, false, true]);
    // Passes with other rows round otherwise (ADR 3).
    expect(scores[0]?.log_likelihood).toBeCloseTo(sum(logprobs?.token_logprobs ?? []), 1);
    expect(scores[2]).toEqual({ ...scores[0], log_likelihood: expect.closeTo(scores[0]?.log_likelihood ?? 0, 1) });
    expect(scores[1]?.length).toBe((await tokensOf(' zebra!')).length);
    expect(scores[1]?.log_likelihood).toBeLessThan(scores[0]?.log_likelihood ?? 0);
  });

  test('four continuations of a long context cost little more than the context', async () => {
    const context = Array.from({ length: 120 }, (_, index) => `Line ${index} has a number.`).join('\n');
    const { length } = await tokensOf(context);
    expect(length).toBeGreaterThan(500);
    const found = await score({ context, continuations: [' One', ' Two', ' Three', ' Four'] });
    expect(found.prompt_eval_count - found.prompt_eval_cached_count).toBeLessThanOrEqual(1.2 * length);
    expect(found.prompt_eval_count).toBeGreaterThan(4 * length);
  });

  test.each([
    [{}, 'continuations is required, with at least one'],
    [{ context: 'a', continuations: 'b' }, 'continuations: expected an array'],
    [{ context: 'a', continuations: ['b', 3] }, 'continuations[1]: expected a string, or an array of token ids'],
    [{ context: 'a', continuations: ['b', ''] }, 'continuations[1] has no tokens'],
    [{ context: '', continuations: ['b'] }, expect.stringContaining('the context has no tokens')],
    [{ context: 'a', continuations: [[99_999_999]] }, '99999999 is not a token of this model'],
    [{ context: 'a', continuations: Array(257).fill('b') }, 'more than 256 continuations in one request'],
  ])('a wrong request is refused: %#', async (body, message) => {
    const { status, objects } = await post(url, '/api/score', { model: 'ember', ...body });
    expect([status, objects[0]?.error]).toEqual([400, message]);
  });
});

describe('POST /api/compare', () => {
  const compare = (body: object) => post<ComparisonResponseBody>(url, '/api/compare', { model: 'ember', ...body });

  test('the perplexity is that of a plain loop, and a model does not diverge from itself', async () => {
    const text = Array.from({ length: 200 }, (_, index) => `Line ${index} has a number.`).join('\n');
    const tokens = await tokensOf(text);
    const count = Math.floor(tokens.length / 512);
    const plain = openPlainLoop(repository('models/ember-q4_k_m.gguf'), 512);
    const losses: number[] = [];
    for (let index = 0; index < count; index++) {
      const [first = 0] = await tokensOf('');
      const chunk = [tokens[0] === first ? first : (tokens[index * 512] as number)];
      chunk.push(...tokens.slice(index * 512 + 1, (index + 1) * 512));
      losses.push(
        ...plain
          .score(chunk)
          .slice(256)
          .map((logprob) => -logprob),
      );
    }
    plain.close();
    await post(url, '/api/copy', { source: 'ember', destination: 'ember-copy' });
    const { status, objects } = await compare({ against: 'ember-copy', text });
    expect([status, objects.length]).toEqual([200, count * 2 + 1]);
    const { tokens: scored, perplexity, against_perplexity, kl_divergence, same_top } = objects.at(-1) ?? {};
    expect(scored).toBe(losses.length);
    expect(perplexity).toBeCloseTo(Math.exp(sum(losses) / losses.length), 3);
    expect(against_perplexity).toBeCloseTo(perplexity as number, 3);
    expect(kl_divergence).toBeCloseTo(0, 4);
    expect(same_top).toBe(1);
  });

  test.each([
    [{}, 400, 'against is required'],
    [{ against: 'ember', text: 'too short' }, 400, expect.stringMatching(/^the text has \d+ tokens; at least 1024/)],
    [{ against: 'ember', text: 'a'.repeat(2 ** 18 + 1) }, 400, 'the text is longer than 262144 characters'],
    [{ against: 'nothing' }, 404, expect.stringMatching(/^model "nothing" not found/)],
  ])('a wrong request is refused: %#', async (body, expected, message) => {
    const { status, objects } = await compare(body);
    expect([status, (objects[0] as { error?: string } | undefined)?.error]).toEqual([expected, message]);
  });
});

describe('shift and truncate', () => {
  const long = 'fox river king garden moon '.repeat(40);
  const small = { num_ctx: 64, temperature: 0 };

  test('`truncate` false: a prompt longer than the context is a 400, in generate and in chat', async () => {
    expect((await post(url, '/api/generate', { model: 'ember', prompt: long, options: small })).status).toBe(200);
    const inGenerate = await post(url, '/api/generate', {
      model: 'ember',
      prompt: long,
      options: small,
      truncate: false,
    });
    const conversation = Array.from({ length: 9 }, () => [
      { role: 'user', content: 'Hello there!' },
      { role: 'assistant', content: 'Hello!' },
    ]).flat();
    const body = { messages: [...conversation, ...messages], options: small };
    expect((await postChat(url, body)).status).toBe(200);
    const inChat = await postChat(url, { ...body, truncate: false });
    for (const { status, objects } of [inGenerate, inChat])
      expect([status, objects[0]?.error]).toEqual([400, expect.stringContaining('longer than the context')]);
  });

  test('`shift` false: the answer ends when the context is full', async () => {
    const story = { prompt: 'Tell me a very long story.', options: { ...small, num_predict: 120, seed: 1 } };
    const shifted = await generate(url, story);
    const ended = await generate(url, { ...story, shift: false });
    expect(ended.done_reason).toBe('length');
    expect((ended.prompt_eval_count as number) + (ended.eval_count as number)).toBeLessThanOrEqual(65);
    expect((shifted.prompt_eval_count as number) + (shifted.eval_count as number)).toBeGreaterThan(65);
  });

  test('`shift` false: a prompt longer than the context is a 400', async () => {
    const body = { model: 'ember', prompt: long, options: small, shift: false };
    const { status, objects } = await post(url, '/api/generate', body);
    expect([status, objects[0]?.error]).toEqual([400, expect.stringContaining('longer than the context')]);
  });
});

describe('think', () => {
  test('false or null has no effect on a model without thinking', async () => {
    const { message } = await chat(url, { messages, options });
    for (const think of [false, null]) expect((await chat(url, { messages, options, think })).message).toEqual(message);
  });

  test.each([
    [true, '"ember" does not support thinking'],
    ['low', '"ember" does not support thinking'],
    ['', 'invalid think value: "" (must be "high", "medium", "low", "max", true, or false)'],
    ['loud', 'invalid think value: "loud" (must be "high", "medium", "low", "max", true, or false)'],
    [3, 'think must be a boolean or string ("high", "medium", "low", "max", true, or false)'],
  ])('%j is refused', async (think, message) => {
    const { status, objects } = await postChat(url, { messages, think });
    expect([status, objects[0]?.error]).toEqual([400, message]);
  });
});
