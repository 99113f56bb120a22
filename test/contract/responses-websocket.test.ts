// WebSockets on /v1/responses, and POST /v1/responses/compact: each test name states a rule of Open Responses.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CompactionBody } from '../../src/server/dialects/openai/responses/response/response-schema.ts';
import type { Body } from '../support/client.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { postResponse, responseEventsOf } from '../support/openai.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openWebSocket, type SocketEvent, type TestSocket } from '../support/web-socket.ts';

let server: TestServer;
let url: string;
const sockets: TestSocket[] = [];
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  await addEndlessModel(server.store, 'endless');
});
afterAll(async () => {
  for (const { socket } of sockets) socket.terminate();
  await server.stop();
});

async function open(): Promise<TestSocket> {
  const opened = await openWebSocket(url);
  sockets.push(opened);
  return opened;
}

const create = (fields: Body) => ({ type: 'response.create', model: 'ember', temperature: 0, store: false, ...fields });
const sky = create({ input: 'Why is the sky blue?' });
const idOf = (events: readonly SocketEvent[]): string => events.at(-1)?.response?.id ?? '';
const errorOf = (events: readonly SocketEvent[]) => [events.at(-1)?.status, events.at(-1)?.error?.code];
const outputOf = (events: readonly { response?: { output: readonly unknown[] } }[]) =>
  JSON.stringify(events.at(-1)?.response?.output).replaceAll(/"msg_\w+"/g, '');

describe('over a WebSocket', () => {
  test('a response has the events of a stream over HTTP', async () => {
    const events = await (await open()).turn(sky);
    const { type: _, ...body } = sky;
    const streamed = responseEventsOf((await postResponse(url, { ...body, stream: true })).text);
    const typesOf = (all: readonly { type: string }[]) => [...new Set(all.map(({ type }) => type))];
    expect(typesOf(events)).toEqual(typesOf(streamed));
    expect(outputOf(events)).toBe(outputOf(streamed as SocketEvent[]));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  });

  test('messages that are sent at once are answered one after another', async () => {
    const socket = await open();
    for (const input of ['Why is the sky blue?', 'Hello!', 'Why is the sky blue?']) socket.send(create({ input }));
    const turns = [await socket.next(), await socket.next(), await socket.next()];
    expect(turns.map((turn) => [turn[0]?.type, turn.at(-1)?.type])).toEqual(
      turns.map(() => ['response.created', 'response.completed']),
    );
    expect(turns.map((turn) => turn.filter(({ type }) => type === 'response.created').length)).toEqual([1, 1, 1]);
    expect(outputOf(turns[0] ?? [])).toBe(outputOf(turns[2] ?? []));
  });

  test('a response that is not stored is continued on its connection, and nowhere else', async () => {
    const [socket, other] = [await open(), await open()];
    const id = idOf(await socket.turn(create({ input: 'My name is Ada.' })));
    const again = create({ previous_response_id: id, input: 'What is my name?' });
    expect(errorOf(await other.turn(again))).toEqual([404, 'previous_response_not_found']);
    expect((await fetch(`${url}/v1/responses/${id}`)).status).toBe(404);
    const { type: _, ...body } = again;
    expect((await postResponse(url, body)).status).toBe(404);
    const whole = await other.turn(
      create({
        input: [
          { role: 'user', content: 'My name is Ada.' },
          ...((socket.events.findLast(({ response }) => response?.id === id)?.response?.output ?? []) as object[]),
          { role: 'user', content: 'What is my name?' },
        ],
      }),
    );
    const continued = await socket.turn(again);
    expect([continued.at(-1)?.type, outputOf(continued)]).toEqual(['response.completed', outputOf(whole)]);
  });

  test('a stored response is continued from anywhere', async () => {
    const id = idOf(await (await open()).turn({ ...sky, store: true }));
    const continued = await (await open()).turn(create({ previous_response_id: id, input: 'Why?' }));
    expect(continued.at(-1)?.type).toBe('response.completed');
    expect((await fetch(`${url}/v1/responses/${id}`)).status).toBe(200);
  });

  test('a failed request evicts the response that it continues; the connection stays open', async () => {
    const socket = await open();
    const id = idOf(await socket.turn(sky));
    const output = { type: 'function_call_output', call_id: 'call_lost', output: '?' };
    expect(errorOf(await socket.turn(create({ previous_response_id: id, input: [output] })))).toEqual([
      400,
      'bad_request',
    ]);
    expect(errorOf(await socket.turn(create({ previous_response_id: id, input: 'And?' })))).toEqual([
      404,
      'previous_response_not_found',
    ]);
    expect((await socket.turn(sky)).at(-1)?.type).toBe('response.completed');
  });

  test.each([
    ['text', 400, 'bad_request'],
    [{ ...sky, type: 'response.cancel' }, 400, 'bad_request'],
    [{ ...sky, background: true, store: true }, 400, 'bad_request'],
    [{ ...sky, model: 'no-such-model' }, 404, 'model_not_found'],
    [{ ...sky, temperature: 'hot' }, 400, 'bad_request'],
  ])('%o is answered with an error', async (message, status, code) => {
    const socket = await open();
    expect(errorOf(await socket.turn(message))).toEqual([status, code]);
  });

  test('a binary message ends the connection', async () => {
    const { socket, closed } = await open();
    socket.send(Buffer.from(JSON.stringify(sky)), { binary: true });
    expect(await closed).toBe(1003);
  });

  test('a client that disconnects ends its answer', async () => {
    const socket = await open();
    socket.send(create({ model: 'endless', input: 'Hi.' }));
    await vi.waitFor(() => expect(socket.events.length).toBeGreaterThan(5), { timeout: 30_000 });
    const cancelled = () => server.log().split('outcome=cancelled model=endless').length - 1;
    const before = cancelled();
    socket.socket.terminate();
    await vi.waitFor(() => expect(cancelled()).toBe(before + 1), { timeout: 30_000 });
  });

  test.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ headers: { host: 'evil.example' } }, 403],
  ])('a handshake with %o is refused', async (options, status) => {
    await expect(openWebSocket(url, options)).rejects.toThrow(`Unexpected server response: ${status}`);
  });

  test('a path without WebSockets refuses the handshake, and GET without one is refused', async () => {
    await expect(openWebSocket(`${url}/v1/models`)).rejects.toThrow('Unexpected server response: 404');
    expect((await fetch(`${url}/v1/responses`)).status).toBe(405);
  });

  test('a request that offers HTTP/2 is answered as HTTP/1.1', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
    const { type: _, ...body } = sky;
    const text = await new Promise<string>((resolve, reject) => {
      const sent = request(`${url}/v1/responses`, { method: 'POST', headers }, (response) => {
        let received = '';
        response.on('data', (chunk) => {
          received += chunk;
        });
        response.on('end', () => resolve(received));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
    expect(JSON.parse(text)).toMatchObject({ object: 'response', status: 'completed' });
  });
});

describe('a compacted conversation', () => {
  const talk = [
    { role: 'user', content: 'My name is Ada, and I live in Oslo.' },
    { role: 'assistant', content: 'Nice to meet you, Ada.' },
  ];
  const compact = async (body: Body) => {
    const response = await fetch(`${url}/v1/responses/compact`, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as CompactionBody };
  };

  test('is one item, which later requests accept', async () => {
    const { status, body } = await compact({ model: 'ember', options: { temperature: 0 }, input: talk });
    expect([status, body]).toMatchObject([
      200,
      {
        id: expect.stringMatching(/^resp_/),
        object: 'response.compaction',
        output: [{ type: 'compaction', id: expect.stringMatching(/^cmp_/) }],
      },
    ]);
    expect(body.usage.output_tokens).toBeGreaterThan(3);
    const question = { role: 'user', content: 'Who am I?' };
    const tokensOf = async (input: unknown) =>
      (await postResponse(url, { input, store: false })).body.usage?.input_tokens;
    const [short = 0, long = 0] = [await tokensOf([question]), await tokensOf([...body.output, question])];
    expect(long).toBeGreaterThan(short + body.usage.output_tokens / 2);
  });

  test('costs only its question if the model knows the conversation', async () => {
    const input = [...talk, { role: 'user', content: 'Where do I live?' }];
    const first = await postResponse(url, { input, temperature: 0 });
    const { body } = await compact({ model: 'ember', previous_response_id: first.body.id });
    const cached = body.usage.input_tokens_details.cached_tokens;
    expect(cached).toBeGreaterThanOrEqual(first.body.usage?.input_tokens ?? Number.POSITIVE_INFINITY);
  });

  test('of another server is ignored', async () => {
    const foreign = { type: 'compaction', encrypted_content: 'gAAAAABpM0Yj' };
    const question = { role: 'user', content: 'Hi.' };
    const tokensOf = async (input: unknown) => (await postResponse(url, { input })).body.usage?.input_tokens;
    expect(await tokensOf([foreign, question])).toBe(await tokensOf([question]));
  });

  test('needs a model and a conversation', async () => {
    expect((await compact({ input: talk })).status).toBe(400);
    expect((await compact({ model: 'ember' })).status).toBe(400);
  });
});

test('a server that stops closes idle connections, and ends with them', async () => {
  const stopping = await startServer();
  const { closed } = await openWebSocket(stopping.url);
  stopping.signal('SIGTERM');
  expect(await closed).toBe(1001);
  expect(await stopping.exit).toBe(0);
  await stopping.stop();
});
