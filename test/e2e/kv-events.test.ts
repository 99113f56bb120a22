// Cache events of real Hearths: another Hearth in front of two of them sends prompts where their tokens are, though it has not
// sent them there itself.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { pause } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

interface Endpoint {
  readonly server: TestServer;
  readonly events: string;
}

const model = 'ember';
const conversations = 8;
let endpoints: readonly [Endpoint, Endpoint];
let front: TestServer;
/** In front of the same endpoints, without their events. */
let blind: TestServer;

const post = async (server: TestServer, path: string, body: object): Promise<Record<string, unknown>> => {
  const response = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : {};
};

async function startEndpoint(): Promise<Endpoint> {
  const [events, replay] = [await freePort(), await freePort()];
  const server = await startServer({
    environment: {
      HEARTH_KV_EVENTS: `tcp://127.0.0.1:${events}`,
      HEARTH_KV_EVENTS_REPLAY: `tcp://127.0.0.1:${replay}`,
      HEARTH_CONTEXT_LENGTH: '2048',
    },
  });
  return { server, events: `${events},${replay}` };
}

async function startFront(withEvents: boolean): Promise<TestServer> {
  const server = await startServer();
  for (const { server: endpoint, events } of endpoints)
    await post(server, '/api/remotes', { name: 'pool', urls: [endpoint.url], ...(withEvents ? { events } : {}) });
  await post(server, '/api/create', { model: 'pooled', from: `remote://pool/${model}`, stream: false });
  return server;
}

const messagesOf = (name: string) => [
  { role: 'user', content: `${name}: ${Array.from({ length: 150 }, (_, index) => `${name} ${index}`).join(', ')}` },
];
/** Resolves with the cached part of the prompt. */
const ask = async (server: TestServer, name: string, asked = model): Promise<number> => {
  const options = { num_predict: 1, temperature: 0 };
  const answer = await post(server, '/api/chat', {
    ...{ model: asked, messages: messagesOf(name), options, stream: false },
  });
  const cached = Number(answer['prompt_eval_cached_count'] ?? 0);
  return cached / Number(answer['prompt_eval_count']);
};
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

beforeAll(async () => {
  endpoints = [await startEndpoint(), await startEndpoint()];
  // Before any front subscribes, and by a way around it.
  for (let index = 0; index < conversations; index++)
    await ask((endpoints[index % 2] as Endpoint).server, `early${index}`);
  front = await startFront(true);
  blind = await startFront(false);
});
afterAll(async () => {
  for (const server of [front, blind, ...(endpoints ?? []).map((endpoint) => endpoint.server)]) await server?.stop();
});

test('a front with the events finds the tokens that others have sent, and one without them does not', async () => {
  // Until the past of both endpoints is known.
  await expect
    .poll(async () => Math.min(await ask(front, 'early0', 'pooled'), await ask(front, 'early1', 'pooled')))
    .toBeGreaterThan(0.9);
  for (let index = 0; index < conversations; index++)
    await ask((endpoints[index % 2] as Endpoint).server, `late${index}`);
  const names = (kind: string, from: number) =>
    Array.from({ length: conversations - from }, (_, index) => `${kind}${index + from}`);
  const all = [...names('early', 2), ...names('late', 0)];
  const shares: number[] = [];
  for (const name of all) shares.push(await ask(front, name, 'pooled'));
  // For others than before, because these are on both endpoints now.
  const others = Array.from({ length: all.length }, (_, index) => `other${index}`);
  for (const [index, name] of others.entries()) await ask((endpoints[index % 2] as Endpoint).server, name);
  const without: number[] = [];
  for (const name of others) without.push(await ask(blind, name, 'pooled'));
  console.log(
    `prompt tokens from caches: ${(mean(shares) * 100).toFixed(1)} % with events, ${(mean(without) * 100).toFixed(1)} % without`,
  );
  expect(mean(shares)).toBeGreaterThan(0.9);
  // Half of them, by chance.
  expect(mean(shares)).toBeGreaterThan(mean(without) + 0.05);
});

test('what an endpoint forgets draws no prompts: its model is unloaded, and the other one is found', async () => {
  const [one, other] = endpoints;
  for (const { server } of [one, other]) await ask(server, 'both');
  expect(await ask(front, 'both', 'pooled')).toBeGreaterThan(0.9);
  await post(one.server, '/api/generate', { model, keep_alive: 0 });
  for (let turn = 0; turn < 4; turn++) {
    await ask(other.server, `moved${turn}`);
    // The event is on its way.
    await pause(500);
    expect(await ask(front, `moved${turn}`, 'pooled')).toBeGreaterThan(0.9);
  }
});
