// Cache events of engines, published by ZeroMQ itself, and a real server in front of two engines that have the routes of vLLM.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encode } from '@msgpack/msgpack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Publisher, Router } from 'zeromq';
import { startServer, type TestServer } from '../support/server.ts';

const blockSize = 16;
const endOfPast = Buffer.alloc(8, 0xff);

/** A token for each character. */
const toTokens = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

async function startEngine() {
  const asked: string[] = [];
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = text === '' ? {} : JSON.parse(text);
    const json = (value: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (request.url === '/v1/models') json({ data: [{ id: 'm', owned_by: 'vllm', max_model_len: 8192 }] });
    else if (request.url === '/tokenize') json({ tokens: toTokens(body.messages[0].content) });
    else if (request.url === '/v1/chat/completions') {
      asked.push(body.messages[0].content);
      const choice = { index: 0, delta: { content: 'yes' }, finish_reason: 'stop' };
      response.setHeader('content-type', 'text/event-stream');
      response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
    } else response.writeHead(404).end();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const events = await startEvents();
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked,
    ...events,
    close() {
      http.closeAllConnections();
      http.close();
      events.end();
    },
  };
}

/** The two sockets of vLLM's publisher. */
async function startEvents(ports = ['*', '*']) {
  const publisher = new Publisher();
  const router = new Router();
  await publisher.bind(`tcp://127.0.0.1:${ports[0]}`);
  await router.bind(`tcp://127.0.0.1:${ports[1]}`);
  const past: { readonly number: Buffer; readonly payload: Buffer }[] = [];
  const portOf = (address: string | null): string => address?.split(':').at(-1) ?? '';
  const publishRaw = async (payload: Uint8Array): Promise<void> => {
    const number = Buffer.alloc(8);
    number.writeBigInt64BE(BigInt(past.length));
    past.push({ number, payload: Buffer.from(payload) });
    await publisher.send(['kv-events', number, payload]);
  };
  void (async () => {
    for await (const [identity, empty] of router) {
      for (const { number, payload } of past) await router.send([identity as Buffer, empty as Buffer, number, payload]);
      await router.send([identity as Buffer, empty as Buffer, endOfPast, Buffer.alloc(0)]);
    }
  })().catch(() => {});
  let hash = 0;
  return {
    ports: [portOf(publisher.lastEndpoint), portOf(router.lastEndpoint)],
    publishRaw,
    /** As if another front had sent the prompt. Returns the hashes. */
    async store(text: string): Promise<number[]> {
      const tokens = toTokens(text);
      const whole = tokens.slice(0, tokens.length - (tokens.length % blockSize));
      const hashes = Array.from({ length: whole.length / blockSize }, () => ++hash);
      await publishRaw(encode([1, [['BlockStored', hashes, null, whole, blockSize, null]], 0]));
      return hashes;
    },
    end() {
      publisher.close();
      router.close();
    },
  };
}

type Engine = Awaited<ReturnType<typeof startEngine>>;
let engines: [Engine, Engine];
let server: TestServer;

const post = (path: string, body: object) => fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) });
async function ask(content: string): Promise<void> {
  const response = await post('/api/chat', { model: 'm', messages: [{ role: 'user', content }], stream: false });
  expect(response.status).toBe(200);
  await response.text();
}
const promptOf = (name: string): string => `${name} `.repeat(100);
/** The place of the engine that got the prompt. */
const placeOf = (content: string): number => engines.findIndex(({ asked }) => asked.includes(content));
const nextPlace = async (name: string): Promise<number> => {
  await ask(promptOf(name));
  return placeOf(promptOf(name));
};

beforeAll(async () => {
  engines = [await startEngine(), await startEngine()];
  // Before the server subscribes: it learns this from what is repeated.
  for (const [place, engine] of engines.entries())
    for (let turn = 0; turn < 4; turn++) await engine.store(promptOf(`early ${place} ${turn}`));
  server = await startServer();
  for (const { url, ports } of engines) {
    const added = await post('/api/remotes', { name: 'm', urls: [url], kind: 'vllm', events: ports.join(',') });
    expect(added.status).toBe(200);
  }
  expect((await post('/api/create', { model: 'm', from: 'remote://m/m', stream: false })).status).toBe(200);
  await ask('hello');
});
afterAll(async () => {
  await server.stop();
  for (const engine of engines) engine.close();
});

test('prompts go to the engine whose past events have them, though this server never sent them', async () => {
  // Until the past of both is complete.
  await expect
    .poll(async () => {
      const places = [await nextPlace('early 0 0'), await nextPlace('early 1 0')];
      for (const { asked } of engines) asked.length = 0;
      return places;
    })
    .toEqual([0, 1]);
  for (let turn = 1; turn < 4; turn++)
    for (const place of [0, 1]) expect(await nextPlace(`early ${place} ${turn}`)).toBe(place);
});

test('prompts go where new events say; where a prompt was removed, nothing draws it', async () => {
  const [one, other] = engines;
  for (let turn = 0; turn < 4; turn++) {
    await one.store(promptOf(`late 0 ${turn}`));
    await other.store(promptOf(`late 1 ${turn}`));
  }
  const moved = await one.store(promptOf('moved'));
  await one.publishRaw(encode([1, [['BlockRemoved', moved]], 0]));
  await other.store(promptOf('moved'));
  for (let turn = 0; turn < 4; turn++)
    for (const place of [0, 1])
      await expect.poll(() => nextPlace(`late ${place} ${turn}`), { timeout: 5_000 }).toBe(place);
  expect(await nextPlace('moved')).toBe(1);
});

test('a publisher that sends nonsense is left, and requests go on', async () => {
  const [one] = engines;
  await one.publishRaw(Buffer.from([0xc1]));
  await expect.poll(() => server.log()).toContain('the events of an endpoint broke off');
  await one.publishRaw(Buffer.alloc(2 ** 20 + 1));
  for (let turn = 0; turn < 4; turn++) await ask(`anything ${turn}`);
});

test('hearth remote shows the ports; wrong ones are refused', async () => {
  const { remotes } = (await (await fetch(`${server.url}/api/remotes`)).json()) as {
    remotes: { endpoints: { url: string; events: string }[] }[];
  };
  expect(remotes[0]?.endpoints.map(({ events }) => events)).toEqual(engines.map(({ ports }) => ports.join(',')));
  for (const events of ['x', '0', '70000', '1,2,3'])
    expect((await post('/api/remotes', { name: 'n', urls: ['http://127.0.0.1:9'], events })).status).toBe(400);
});
