import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import type { GenerateRequest, LoadedModel } from '../../engine/ports.ts';
import type { AnswerEvent } from '../../model/answer-event.ts';
import type { EndpointFacts } from '../probe/endpoint-facts.ts';
import type { RemoteCalls } from '../remote-calls.ts';
import { RemoteLease } from '../remote-lease.ts';
import type { Target } from '../remote-target.ts';

const { signal } = new AbortController();
const vllm: EndpointFacts = { kind: 'vllm', models: [], features: new Set(), version: '' };
const entry = (logprob: number | null, rank: number, decoded_token: string) => ({ logprob, rank, decoded_token });
const answered = {
  choices: [
    {
      text: ' blue',
      finish_reason: 'length',
      prompt_token_ids: [5, 7, 300],
      // The keys of an object that are numbers are in their order, not in that of the probabilities.
      prompt_logprobs: [
        null,
        { 2: entry(-0.5, 1, ' cat'), 7: entry(-1.5, 3, ' sky') },
        { 9: entry(-1, 2, ' was'), 300: entry(-0.25, 1, ' is') },
      ],
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
};

/** A lease whose only endpoint answers with `response`. */
function openLease(response: unknown, facts: EndpointFacts = vllm) {
  const sent: { path: string; body: object }[] = [];
  const calls = {
    attempt: (_: string, work: (target: Target) => AsyncIterable<AnswerEvent>) =>
      work({ endpoint: {} as Target['endpoint'], facts, model: 'm' }),
    call: async (_: Target, request: { path: string; body: object }) => {
      sent.push(JSON.parse(JSON.stringify(request)) as (typeof sent)[number]);
      return response;
    },
  } as unknown as RemoteCalls;
  const clock = createFakeClock();
  const lease = new RemoteLease({
    remote: 'gpu',
    calls,
    model: {} as LoadedModel,
    given: {},
    signal,
    isCrowded: () => false,
    clock,
    onRelease: () => {},
  });
  const run = async (request: Partial<GenerateRequest>): Promise<AnswerEvent[]> => {
    const events: AnswerEvent[] = [];
    const whole = { prompt: 'The sky is', context: [], options: {}, ...request } as unknown as GenerateRequest;
    for await (const event of lease.generate(whole, signal)) events.push(event);
    return events;
  };
  return { sent, run };
}

const bytesOf = (text: string): number[] => [...Buffer.from(text)];

test('the tokens of the prompt come before the answer', async () => {
  const { sent, run } = openLease(answered);
  const events = await run({ promptLogprobs: { top: 2, from: 0 } });
  expect(sent).toMatchObject([
    {
      path: '/v1/completions',
      body: { prompt: 'The sky is', stream: false, prompt_logprobs: 2, return_token_ids: true },
    },
  ]);
  expect(events.map(({ type }) => type)).toEqual(['started', 'prompt-tokens', 'tokens', 'done']);
  expect(events[1]).toEqual({
    type: 'prompt-tokens',
    tokens: [
      // What the others leave of the prompt.
      { token: 5, bytes: bytesOf('The'), top: [] },
      {
        ...{ token: 7, bytes: bytesOf(' sky'), logprob: -1.5, rank: 3 },
        top: [{ token: 2, bytes: bytesOf(' cat'), logprob: -0.5 }],
      },
      {
        ...{ token: 300, bytes: bytesOf(' is'), logprob: -0.25, rank: 1 },
        top: [
          { token: 300, bytes: bytesOf(' is'), logprob: -0.25 },
          { token: 9, bytes: bytesOf(' was'), logprob: -1 },
        ],
      },
    ],
  });
  expect(events.at(-1)).toMatchObject({ reason: 'length', promptTokens: 3, generatedTokens: 1 });
});

test('only the prompt: one token is generated and dropped', async () => {
  const { sent, run } = openLease(answered);
  const events = await run({ promptLogprobs: { top: 0, from: 2 }, promptOnly: true, context: [5, 7, 300], prompt: '' });
  expect(sent).toMatchObject([{ body: { prompt: [5, 7, 300], max_tokens: 1, prompt_logprobs: 0 } }]);
  expect(events.map(({ type }) => type)).toEqual(['started', 'prompt-tokens', 'done']);
  expect(events[1]).toMatchObject({ tokens: [{ token: 300, logprob: -0.25 }] });
  expect(events.at(-1)).toMatchObject({ promptTokens: 3, generatedTokens: 0 });
});

test('a Hearth has them, too', async () => {
  const { run } = openLease(answered, { ...vllm, kind: 'ollama', hearth: '0.3.0' });
  expect((await run({ promptLogprobs: { top: 0, from: 0 } })).map(({ type }) => type)).toContain('prompt-tokens');
});

describe('refused', () => {
  const asked = { promptLogprobs: { top: 1, from: 0 } };
  const choice = answered.choices[0];
  test.each([
    ['other servers', answered, { ...vllm, kind: 'sglang' as const }, 'does not support log probabilities of prompts'],
    [
      'an older vLLM',
      { choices: [{ ...choice, prompt_token_ids: undefined }] },
      vllm,
      'does not tell the tokens of prompts',
    ],
    ['fewer entries', { choices: [{ ...choice, prompt_logprobs: [null] }] }, vllm, 'do not belong to the tokens'],
    ['other tokens', { choices: [{ ...choice, prompt_token_ids: [5, 8, 300] }] }, vllm, 'do not belong to the tokens'],
    ['no answer', {}, vllm, 'before it was complete'],
  ])('%s', async (_, response, facts, message) => {
    await expect(openLease(response, facts).run(asked)).rejects.toThrow(message);
  });

  test('whole distributions', async () => {
    const promptLogprobs = { top: 0, from: 0, wantDistributions: true };
    await expect(openLease(answered).run({ promptLogprobs })).rejects.toThrow('does not tell whole distributions');
  });
});
