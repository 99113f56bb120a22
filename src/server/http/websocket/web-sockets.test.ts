// Messages over WebSockets pass the checks and limits of other requests.

import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Type } from 'typebox';
import { afterEach, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { openWebSocket, type TestSocket } from '../../../../test/support/web-socket.ts';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { dialectTable } from '../../compose/dialect-table.ts';
import { openAiDialect } from '../../dialects/shared/openai-dialect.ts';
import type { AccessControl } from '../access/access-control.ts';
import { channelOf } from '../message-request.ts';
import type { FinishedRequest } from '../request-end.ts';
import { RequestTable } from '../requests.ts';
import { createHttpServer } from '../server.ts';
import { sendStream } from '../streaming/send-stream.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Options {
  readonly access?: AccessControl;
  readonly maxBufferedBytes?: number;
}

async function start({ access, maxBufferedBytes }: Options = {}) {
  const clock = createFakeClock();
  const held = createDeferred<void>();
  const finished: FinishedRequest[] = [];
  let produced = 0;
  let running = 0;
  const app = createHttpServer({
    routes: [
      {
        dialect: openAiDialect,
        method: 'POST',
        path: '/v1/responses',
        scope: 'infer',
        summary: 'Do it',
        metered: true,
        overWebSocket: true,
        body: Type.Object({ hold: Type.Optional(Type.Boolean()), count: Type.Optional(Type.Integer()) }),
        async handle(request, reply) {
          expect(channelOf(request)).toBeDefined();
          running++;
          const { hold, count = 0 } = request.body as { hold?: boolean; count?: number };
          async function* objects() {
            if (hold) await held.promise;
            for (; produced < count; produced++) yield { type: 'text', text: 'x'.repeat(10_000) };
            yield { type: 'response.completed' };
          }
          return sendStream(reply, objects(), { dialect: openAiDialect, logger: silentLogger });
        },
      },
    ],
    dialects: dialectTable,
    requests: new RequestTable({
      clock,
      logger: silentLogger,
      onFinished: (request) => finished.push(request),
      ...(access && { identify: access.identify, watchKey: access.watchKey }),
    }),
    ...(access && { access }),
    ...(maxBufferedBytes && { maxBufferedBytes }),
    maxBodyBytes: 100_000,
    receiveTimeout: 5000,
    stallTimeout: 5000,
    isAllowedOrigin: () => true,
    clock,
    logger: silentLogger,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  ends.push(() => app.close());
  const open = async (headers: Readonly<Record<string, string>> = {}): Promise<TestSocket> => {
    const opened = await openWebSocket(url, { headers });
    ends.push(() => opened.socket.terminate());
    return opened;
  };
  return { app, clock, held, finished, produced: () => produced, running: () => running, port, url, open };
}

/** The start of a message of 1000 bytes that never ends, masked with zeros. */
const unfinished = Buffer.concat([Buffer.from([0x81, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]), Buffer.from('{"a"')]);
const upgrade = [
  ...['GET /v1/responses HTTP/1.1', 'host: localhost', 'connection: Upgrade', 'upgrade: websocket'],
  ...['sec-websocket-version: 13', 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==', '', ''],
].join('\r\n');

test('each message is a request of the route: it needs the key, counts in its quota, and is metered', async () => {
  const key = { id: '1', name: 'anna', scope: 'infer', group: '1', models: [], weight: 1 } as const;
  let allowed = 2;
  const access: AccessControl = {
    find: () => undefined,
    isRequired: () => true,
    identify: ({ authorization }) => (authorization === 'Bearer secret' ? key : undefined),
    authorize(_headers, caller, route) {
      if (caller === undefined) throw new HearthError('unauthorized', 'no key');
      if (route?.metered && allowed-- === 0) throw new HearthError('rate_limited', 'used up');
    },
    watchKey: () => () => {},
  };
  const { url, open, finished, clock } = await start({ access });
  const refused = openWebSocket(url);
  // A refusal is delayed.
  const timer = setInterval(() => clock.advance(100), 5);
  await expect(refused).rejects.toThrow('Unexpected server response: 401');
  clearInterval(timer);
  const { turn } = await open({ authorization: 'Bearer secret' });
  const types = [await turn({}), await turn({}), await turn({})].map((events) => events.at(-1));
  expect(types).toEqual([
    { type: 'response.completed' },
    { type: 'response.completed' },
    { type: 'error', status: 429, error: expect.objectContaining({ code: 'rate_limit_exceeded' }) },
  ]);
  expect(finished.map(({ endpoint, key: name, outcome }) => [endpoint, name, outcome])).toEqual([
    ['/v1/responses', 'anna', 'ok'],
    ['/v1/responses', 'anna', 'ok'],
  ]);
});

test('after 60 minutes a connection ends with an error, but not in the middle of a response', async () => {
  const { clock, held, open } = await start();
  const [idle, busy] = [await open(), await open()];
  busy.send({ hold: true });
  for (let seconds = 15; seconds < 3600; seconds += 15) {
    clock.advance(15_000);
    // The server has read the answers to its own pings before.
    for (const { socket } of [idle, busy]) {
      socket.ping();
      await once(socket, 'pong');
    }
  }
  expect([idle.events, busy.events]).toEqual([[], []]);
  clock.advance(15_000);
  expect(await idle.closed).toBe(1000);
  const limit = { type: 'error', status: 400, error: { code: 'websocket_connection_limit_reached' } };
  expect(idle.events).toMatchObject([limit]);
  held.resolve();
  expect(await busy.closed).toBe(1000);
  expect(busy.events).toMatchObject([{ type: 'response.completed' }, limit]);
});

test('a client that does not answer pings is disconnected', async () => {
  const { clock, port } = await start();
  const socket = connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  socket.write(upgrade);
  await once(socket, 'data');
  socket.resume();
  const closed = once(socket, 'close');
  clock.advance(30_000);
  clock.advance(30_000);
  await closed;
});

test('a message that is not finished ends the connection', async () => {
  const { clock, port } = await start();
  const socket = connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  socket.write(upgrade);
  await once(socket, 'data');
  socket.write(unfinished);
  const received = once(socket, 'data');
  const timer = setInterval(() => clock.advance(1000), 10);
  const [frame] = (await received) as [Buffer];
  clearInterval(timer);
  // A close frame with the code 1008.
  expect([frame[0], frame.readUInt16BE(2)]).toEqual([0x88, 1008]);
});

test('messages that are too large or too many end the connection', async () => {
  const { open } = await start();
  const large = await open();
  large.send({ text: 'x'.repeat(200_000) });
  expect(await large.closed).toBe(1009);
  const many = await open();
  for (let index = 0; index < 20; index++) many.send({ hold: true });
  expect(await many.closed).toBe(1008);
});

test('unfinished messages share the memory for bodies', async () => {
  const { open } = await start({ maxBufferedBytes: 40_000 });
  const { closed, socket } = await open();
  socket.send('x'.repeat(16_000), { fin: false });
  socket.send('x'.repeat(16_000), { fin: false });
  expect(await closed).toBe(1013);
  // The memory is free again.
  const { turn } = await open();
  expect((await turn({ text: 'x'.repeat(16_000) })).at(-1)?.type).toBe('response.completed');
});

test('one client has a limited number of connections', async () => {
  const { url, open, clock } = await start();
  for (let index = 0; index < 64; index++) await open();
  const refused = openWebSocket(url);
  // A refusal is delayed.
  const timer = setInterval(() => clock.advance(100), 5);
  ends.push(() => clearInterval(timer));
  await expect(refused).rejects.toThrow('Unexpected server response: 503');
});

test('a client that does not read makes the response wait, and is disconnected', async () => {
  const { clock, open, produced, finished } = await start();
  const { socket, send } = await open();
  socket.pause();
  send({ count: 10_000 });
  let before = 0;
  await vi.waitFor(
    () => {
      const [last, now] = [before, produced()];
      before = now;
      expect(now > 100 && now === last).toBe(true);
    },
    { timeout: 10_000, interval: 200 },
  );
  expect(produced()).toBeLessThan(10_000);
  const timer = setInterval(() => clock.advance(1000), 10);
  ends.push(() => clearInterval(timer));
  await vi.waitFor(() => expect(finished.map(({ outcome }) => outcome)).toEqual(['cancelled']), { timeout: 30_000 });
});

test('a closing server answers the message that runs', async () => {
  const { app, held, open, running } = await start();
  const socket = await open();
  const turn = socket.turn({ hold: true });
  await vi.waitFor(() => expect(running()).toBe(1), { timeout: 30_000 });
  const closed = app.close();
  held.resolve();
  expect((await turn).at(-1)?.type).toBe('response.completed');
  expect(await socket.closed).toBe(1001);
  await closed;
});
