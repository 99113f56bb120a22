import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { HearthError } from '../../base/errors.ts';
import { createLogger, silentLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { openAiDialect } from '../dialects/shared/openai-dialect.ts';
import { createHostCheck } from './access/host-header.ts';
import { createOriginCheck } from './access/origin.ts';
import type { RequestEnd } from './request-end.ts';
import { RequestTable } from './requests.ts';
import type { Route } from './route.ts';
import { createHttpServer } from './server.ts';
import { sendStream } from './streaming/send-stream.ts';

async function* lines(count: number, error?: Error) {
  for (let line = 0; line < count; line++) yield { line };
  if (error) throw error;
}

const ollama = { dialect: ollamaDialect, scope: 'infer', summary: 'Do it' } as const;
const openAi = { dialect: openAiDialect, scope: 'infer', summary: 'Do it' } as const;
const stream = { dialect: ollamaDialect, logger: silentLogger };

const routes: Route[] = [
  { ...ollama, method: 'GET', path: '/read', handle: () => ({ ok: true }) },
  {
    ...ollama,
    method: 'POST',
    path: '/echo',
    body: Type.Object({ text: Type.Optional(Type.String()), list: Type.Optional(Type.Array(Type.Integer())) }),
    handle: (request) => request.body,
  },
  {
    ...ollama,
    method: 'POST',
    path: '/fail',
    handle: () => {
      throw new HearthError('busy', 'come back later');
    },
  },
  {
    ...ollama,
    method: 'POST',
    path: '/broken',
    handle: () => {
      throw new TypeError('undefined is not a function');
    },
  },
  { ...ollama, method: 'POST', path: '/stream', handle: (_, reply) => sendStream(reply, lines(2), stream) },
  {
    ...ollama,
    method: 'POST',
    path: '/stream-fails-late',
    handle: (_, reply) => sendStream(reply, lines(1, new HearthError('runner_died', 'gone')), stream),
  },
  {
    ...ollama,
    method: 'POST',
    path: '/stream-fails-early',
    handle: (_, reply) => sendStream(reply, lines(0, new HearthError('model_not_found', 'no such model')), stream),
  },
  {
    ...openAi,
    method: 'POST',
    path: '/v1/fail',
    handle: () => {
      throw new HearthError('bad_option', 'a wrong option');
    },
  },
  // A route outside the prefix of its dialect.
  {
    ...openAi,
    method: 'POST',
    path: '/elsewhere',
    handle: (_, reply) => {
      const failing = lines(1, new HearthError('runner_died', 'gone'));
      return sendStream(reply, failing, { dialect: openAiDialect, logger: silentLogger });
    },
  },
  {
    ...openAi,
    method: 'POST',
    path: '/elsewhere/fail',
    handle: () => {
      throw new HearthError('busy', 'come back later');
    },
  },
];

const ends: RequestEnd[] = [];
const options = {
  routes,
  dialects: dialectTable,
  requests: new RequestTable({ clock: createFakeClock(0), logger: silentLogger, onEnd: (end) => ends.push(end) }),
  maxBodyBytes: 1000,
  isAllowedOrigin: createOriginCheck({ allowed: [], isVerifiedHost: () => true }),
  isAllowedHost: createHostCheck({ hostname: 'here', addresses: () => [] }).isAllowed,
  clock: systemClock,
  logger: silentLogger,
};
const app = createHttpServer(options);

describe('errors in the Ollama dialect', () => {
  test.each([
    ['an unknown path', { method: 'GET', url: '/nowhere?x=1' }, 404, 'path /nowhere not found', 'path_not_found'],
    [
      'a wrong method',
      { method: 'POST', url: '/read' },
      405,
      'method POST not allowed for /read',
      'method_not_allowed',
    ],
    [
      'another wrong method',
      { method: 'DELETE', url: '/echo' },
      405,
      'method DELETE not allowed for /echo',
      'method_not_allowed',
    ],
    [
      'a body too large',
      { method: 'POST', url: '/echo', payload: `{"text":"${'x'.repeat(2000)}"}` },
      413,
      'request body too large',
      'body_too_large',
    ],
    ['no body', { method: 'POST', url: '/echo' }, 400, 'missing request body', 'bad_request'],
    ['broken JSON', { method: 'POST', url: '/echo', payload: '{"text":' }, 400, 'not valid JSON', 'bad_request'],
    [
      'a field of the wrong type',
      { method: 'POST', url: '/echo', payload: '{"text":5}' },
      400,
      'text must be string',
      'bad_request',
    ],
    [
      'an item of the wrong type',
      { method: 'POST', url: '/echo', payload: '{"list":[1,"a"]}' },
      400,
      'list[1] must be integer',
      'bad_request',
    ],
    ['an error of the catalogue', { method: 'POST', url: '/fail', payload: '{}' }, 503, 'come back later', 'busy'],
    ['an unexpected error', { method: 'POST', url: '/broken', payload: '{}' }, 500, 'is not a function', 'internal'],
    [
      'a stream that fails before its first object',
      { method: 'POST', url: '/stream-fails-early', payload: '{}' },
      404,
      'no such model',
      'model_not_found',
    ],
  ] as const)('%s', async (_, request, status, message, code) => {
    const response = await app.inject(request);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.json()).toEqual({ error: expect.stringContaining(message), code });
  });

  test('a refusal is sent after a delay', async () => {
    const clock = createFakeClock(0);
    let sent = false;
    const response = createHttpServer({ ...options, clock })
      .inject({ method: 'POST', url: '/fail', payload: '{}' })
      .finally(() => {
        sent = true;
      });
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(sent).toBe(false);
    for (; !sent; clock.advance(100)) await setImmediate();
    expect((await response).statusCode).toBe(503);
  });

  test('the response to a wrong method lists the allowed ones', async () => {
    expect((await app.inject({ method: 'POST', url: '/read' })).headers['allow']).toBe('GET, HEAD');
  });
});

describe('errors in the OpenAI dialect', () => {
  test.each([
    ['an unknown path', '/v1/nowhere', 404, 'not_found_error', 'path_not_found'],
    ['the prefix itself', '/v1', 404, 'not_found_error', 'path_not_found'],
    ['an invalid escape', '/v1/%zz', 400, 'invalid_request_error', 'bad_request'],
    ['an error of a route, with the status of the dialect', '/v1/fail', 400, 'invalid_request_error', 'bad_option'],
    ['an error of a route outside the prefix', '/elsewhere/fail', 503, 'api_error', 'busy'],
  ])('%s', async (_, url, status, type, code) => {
    const response = await app.inject({ method: 'POST', url, payload: '{}' });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ error: { message: expect.any(String), type, param: null, code } });
  });

  test('a path that only begins like the prefix is answered in the Ollama dialect', async () => {
    const response = await app.inject({ url: '/v1x' });
    expect(response.json()).toEqual({ error: expect.any(String), code: 'path_not_found' });
  });
});

describe('bodies', () => {
  test.each([undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'are JSON, whatever the content type is: %s',
    async (type) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const response = await app.inject({ method: 'POST', url: '/echo', payload: '{"TEXT":"hi"}', headers });
      expect(response.json()).toEqual({ text: 'hi' });
    },
  );
});

describe('streams', () => {
  test('have one object per line', async () => {
    const response = await app.inject({ method: 'POST', url: '/stream', payload: '{}' });
    expect(response.headers['content-type']).toBe('application/x-ndjson');
    expect(response.body).toBe('{"line":0}\n{"line":1}\n');
  });

  test('that fail after the first object end with the error', async () => {
    const response = await app.inject({ method: 'POST', url: '/stream-fails-late', payload: '{}' });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('{"line":0}\n{"error":"gone","code":"runner_died"}\n');
  });
});

test('server-sent events that fail after the first object end with the error, without [DONE]', async () => {
  const response = await app.inject({ method: 'POST', url: '/elsewhere', payload: '{}' });
  expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const error = { message: 'gone', type: 'api_error', param: null, code: 'runner_died' };
  expect(response.body).toBe(`data: {"line":0}\n\ndata: ${JSON.stringify({ error })}\n\n`);
});

describe('a server that needs keys', () => {
  const access = {
    find: () => undefined,
    isRequired: () => true,
    identify: () => undefined,
    authorize: () => {},
    watchKey: () => () => {},
  };
  const withKeys = createHttpServer({
    ...options,
    isAllowedOrigin: createOriginCheck({ allowed: [], isVerifiedHost: () => false }),
    access,
  });

  test('accepts every Host, and pages that come from there', async () => {
    const host = 'mybox.tailnet.example:11434';
    expect((await app.inject({ url: '/read', headers: { host } })).statusCode).toBe(403);
    for (const headers of [{ host }, { host, origin: `http://${host}` }, { host, origin: `https://${host}` }])
      expect((await withKeys.inject({ url: '/read', headers })).statusCode).toBe(200);
  });

  test('refuses pages of other origins', async () => {
    for (const host of ['localhost', 'mybox.tailnet.example'])
      expect((await withKeys.inject({ url: '/read', headers: { host, origin: 'http://evil.com' } })).statusCode).toBe(
        403,
      );
  });
});

describe('Origin and Host', () => {
  test('a page of a foreign origin is refused, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      const response = await app.inject({ method, url: '/read', headers: { origin: 'https://evil.com' } });
      expect(response.statusCode).toBe(403);
    }
  });

  test('a local page is accepted, and its browser learns so', async () => {
    const origin = 'http://localhost:3000';
    const response = await app.inject({ url: '/read', headers: { origin } });
    expect(response.json()).toEqual({ ok: true });
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
    const streamed = await app.inject({ method: 'POST', url: '/stream', payload: '{}', headers: { origin } });
    expect(streamed.headers['access-control-allow-origin']).toBe(origin);
  });

  test('a preflight request is answered', async () => {
    const wanted = 'content-type, x-stainless-arch,anthropic-dangerous-direct-browser-access, OpenAI-Project, x-evil';
    const headers = { origin: 'http://localhost', 'access-control-request-headers': wanted };
    const response = await app.inject({ method: 'OPTIONS', url: '/echo', headers });
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
      'access-control-max-age': '43200',
    });
    const allowed = String(response.headers['access-control-allow-headers']).split(',');
    const sdk = ['x-stainless-arch', 'anthropic-dangerous-direct-browser-access', 'OpenAI-Project'];
    expect(allowed).toEqual(expect.arrayContaining(['Authorization', 'Content-Type', 'X-API-Key', ...sdk]));
    expect(allowed).not.toContain('x-evil');
  });

  test('a foreign Host header is refused', async () => {
    const response = await app.inject({ url: '/read', headers: { host: 'evil.com' } });
    expect(response.statusCode).toBe(403);
  });
});

describe('fields without effect', () => {
  const logs: string[] = [];
  const logger = createLogger({ level: 'warn', clock: systemClock, write: (line) => void logs.push(line) });
  const create = (strictFields: boolean) =>
    createHttpServer({
      ...options,
      requests: new RequestTable({ clock: createFakeClock(0), logger, strictFields }),
    });
  const post = (strictFields: boolean, payload: object) =>
    create(strictFields).inject({ method: 'POST', url: '/echo', headers: { host: 'here' }, payload });

  test('are named in a header', async () => {
    const { statusCode, headers } = await post(false, { text: 'x', color: 'red', größe: 1, ['z'.repeat(100)]: 1 });
    expect(statusCode).toBe(200);
    expect(headers['x-hearth-ignored']).toBe(`color, gr\\u00f6\\u00dfe, ${'z'.repeat(64)}`);
    expect((await post(false, { text: 'x' })).headers['x-hearth-ignored']).toBeUndefined();
  });

  test('are logged once for a client', async () => {
    const server = create(false);
    logs.length = 0;
    const send = (payload: object) =>
      server.inject({ method: 'POST', url: '/echo', headers: { host: 'here' }, payload });
    await send({ text: 'x', color: 'red' });
    await send({ text: 'x', color: 'red' });
    expect(logs.join('')).toMatch(/^.*fields of a request have no effect path=\/echo fields=color.*\n?$/);
    await send({ text: 'x', color: 'red', shape: 'round' });
    expect(logs).toHaveLength(2);
    expect(logs[1]).toContain('fields=shape');
  });

  test('are an error in strict mode', async () => {
    const { statusCode, json } = await post(true, { text: 'x', color: 'red', shape: 'round' });
    expect(statusCode).toBe(400);
    expect(json().error).toBe('the request has fields without effect: color, shape');
    expect((await post(true, { text: 'x' })).statusCode).toBe(200);
  });
});
