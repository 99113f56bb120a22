// Many requests to one server, over all APIs: the memory of the server and of its runner levels off. Only `npm run test:soak`
// runs this.

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { processorTimeMs, residentBytes } from '../support/processes.ts';
import { startServer } from '../support/server.ts';

const wanted = Number(process.env['HEARTH_TEST_REQUESTS']);
// More than slots, so that requests also wait.
const atOnce = 12;
const slots = 8;
const samples = 20;
const mebibyte = 2 ** 20;
// Small, so that it is full early: what grows after that is not the cache.
const prefixCache = 32;

interface Sample {
  readonly requests: number;
  readonly seconds: number;
  readonly server: number;
  readonly runner: number;
  /** What `ps` says of the model and its prefix cache. */
  readonly counted: number;
}

const toMebibytes = (bytes: number): number => Math.round(bytes / mebibyte);

interface Asked {
  readonly path: string;
  readonly body?: object;
  readonly status?: number;
  /** The client leaves when the answer begins. */
  readonly leaves?: true;
}

const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
});

/**
 * Every API in turn, with short answers: most of the time of a long one is arithmetic, which leaves nothing behind. Prompts
 * differ, so that every one is evaluated and kept, and one in 20 is longer.
 */
function askedOf(index: number): Asked {
  const prompt = `Question ${index}${index % 400 < 20 ? ' why'.repeat(index % 300) : ''}`;
  const model = 'ember';
  const messages = [{ role: 'user', content: prompt }];
  const options = { num_predict: 2 };
  const chat = { id: `soak-${String(index % 500).padStart(4, '0')}`, title: prompt };
  const kinds: readonly Asked[] = [
    { path: '/api/generate', body: { model, prompt, stream: false, options } },
    { path: '/api/generate', body: { model, prompt, raw: true, options } },
    { path: '/api/generate', body: { model, prompt, options: { num_predict: 20 } }, leaves: true },
    { path: '/api/chat', body: { model, messages, options } },
    { path: '/api/chat', body: { model, messages, tools: [tool(`f${index % 50}`)], stream: false, options } },
    { path: '/v1/chat/completions', body: { model, messages, max_tokens: 2, stream: true } },
    { path: '/v1/chat/completions', body: { model, messages, max_tokens: 2, logprobs: true, top_logprobs: 2 } },
    { path: '/v1/completions', body: { model, prompt, max_tokens: 2 } },
    { path: '/v1/responses', body: { model, input: prompt, max_output_tokens: 2 } },
    { path: '/v1/messages', body: { model, messages, max_tokens: 2 } },
    { path: '/v1/messages/count_tokens', body: { model, messages } },
    { path: '/api/embed', body: { model, input: [prompt] } },
    { path: '/v1/embeddings', body: { model, input: [prompt, prompt] } },
    { path: '/api/tokenize', body: { model, text: prompt } },
    { path: '/api/tags' },
    { path: '/api/ps' },
    { path: '/api/queue' },
    { path: '/api/generate', body: { model: `missing-${index}`, prompt }, status: 404 },
    { path: '/api/chat', body: { model, messages: prompt }, status: 400 },
    { path: '/api/chats/import', body: { chats: [chat] } },
  ];
  return kinds[index % kinds.length] as Asked;
}

// A connection per client, as programs have it. `fetch` takes as much processor time as a short answer.
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

function send(url: string, { path, body, leaves }: Asked): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = httpRequest(url + path, { method, agent }, (response) => {
      if (leaves) sent.destroy();
      resolve(response);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Undefined if the answer is as expected. */
async function failureOf(url: string, asked: Asked): Promise<string | undefined> {
  const response = await send(url, asked);
  if (asked.leaves) return undefined;
  const read = await text(response);
  const { statusCode } = response;
  return statusCode === (asked.status ?? 200) ? undefined : `${asked.path}: ${statusCode} ${read.slice(0, 200)}`;
}

test(`${wanted} requests, and memory that does not grow`, { timeout: 24 * 3600 * 1000 }, async () => {
  const server = await startServer({
    environment: {
      HEARTH_NUM_PARALLEL: String(slots),
      HEARTH_CONTEXT_LENGTH: '512',
      HEARTH_PREFIX_CACHE: `${prefixCache}MiB`,
    },
  });
  const begun = performance.now();
  const taken: Sample[] = [];
  const failures: string[] = [];
  let next = 0;
  const sample = async (): Promise<void> => {
    const { models } = (await (await fetch(`${server.url}/api/ps`)).json()) as PsResponseBody;
    const counted = models.reduce((sum, { size, size_prefix_cache = 0 }) => sum + size + size_prefix_cache, 0);
    const runner = server.runners().reduce((sum, pid) => sum + residentBytes(pid), 0);
    const seconds = Math.round((performance.now() - begun) / 1000);
    const one = { requests: next, seconds, server: residentBytes(server.pid), runner, counted };
    taken.push(one);
    const shown = (['server', 'runner', 'counted'] as const).map((name) => `${name} ${toMebibytes(one[name])} MiB`);
    console.log(`${one.requests} after ${seconds} s: ${shown.join(', ')}`);
  };
  const one = async (): Promise<void> => {
    while (next < wanted) {
      const index = next++;
      const failure = await failureOf(server.url, askedOf(index));
      if (failure !== undefined) failures.push(failure);
      if (index % Math.ceil(wanted / samples) === 0) await sample();
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, one));
    await sample();
    const costs = [server.pid, ...server.runners()].map((pid) => (processorTimeMs(pid) / wanted).toFixed(1));
    console.log(`processor time per request: server ${costs[0]} ms, runner ${costs.slice(1).join(' and ')} ms`);
  } finally {
    agent.destroy();
    await server.stop();
  }
  expect(failures.slice(0, 5), `${failures.length} of ${wanted} failed`).toEqual([]);
  const of = (part: readonly Sample[], name: keyof Sample): number => Math.max(...part.map((one) => one[name]));
  // The second half against the first: a leak goes on, and a cache that fills does not.
  const [first, second] = [taken.slice(0, taken.length / 2), taken.slice(taken.length / 2)];
  for (const name of ['server', 'runner'] as const)
    expect(of(second, name)).toBeLessThan(1.2 * of(first, name) + 48 * mebibyte);
});
