import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { HearthError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createHostCheck } from './host-header.ts';
import { sendNdjson } from './ndjson.ts';
import { createOriginCheck } from './origin.ts';
import { createRequestTable, type RequestEnd } from './requests.ts';
import type { Route } from './route.ts';
import { createHttpServer } from './server.ts';

async function* lines(count: number, error?: Error) {
  for (let line = 0; line < count; line++) yield { line };
  if (error) throw error;
}

const routes: Route[] = [
  { method: 'GET', path: '/read', handle: () => ({ ok: true }) },
  {
    method: 'POST',
    path: '/echo',
    body: Type.Object({ text: Type.Optional(Type.String()), list: Type.Optional(Type.Array(Type.Integer())) }),
    handle: (request) => request.body,
  },
  {
    method: 'POST',
    path: '/fail',
    handle: () => {
      throw new HearthError('busy', 'come back later');
    },
  },
  {
    method: 'POST',
    path: '/broken',
    handle: () => {
      throw new TypeError('undefined is not a function');
    },
  },
  { method: 'POST', path: '/stream', handle: (_, reply) => sendNdjson(reply, lines(2), silentLogger) },
  {
    method: 'POST',
    path: '/stream-fails-late',
    handle: (_, reply) => sendNdjson(reply, lines(1, new HearthError('runner_died', 'gone')), silentLogger),
  },
  {
    method: 'POST',
    path: '/stream-fails-early',
    handle: (_, reply) =>
      sendNdjson(reply, lines(0, new HearthError('model_not_found', 'no such model')), silentLogger),
  },
];

const ends: RequestEnd[] = [];
const app = createHttpServer({
  routes,
  requests: createRequestTable({ clock: createFakeClock(0), logger: silentLogger, onEnd: (end) => ends.push(end) }),
  maxBodyBytes: 1000,
  isAllowedOrigin: createOriginCheck([]),
  isAllowedHost: createHostCheck({ hostname: 'here', addresses: [] }),
  logger: silentLogger,
});

describe('every failure has the same shape', () => {
  test.each([
    ['an unknown path', { method: 'GET', url: '/nowhere?x=1' }, 404, 'there is no /nowhere'],
    ['a wrong method', { method: 'POST', url: '/read' }, 405, '/read does not take POST'],
    ['another wrong method', { method: 'DELETE', url: '/echo' }, 405, '/echo does not take DELETE'],
    [
      'a body too large',
      { method: 'POST', url: '/echo', payload: `{"text":"${'x'.repeat(2000)}"}` },
      413,
      'request body too large',
    ],
    ['no body', { method: 'POST', url: '/echo' }, 400, 'missing request body'],
    ['broken JSON', { method: 'POST', url: '/echo', payload: '{"text":' }, 400, 'not valid JSON'],
    ['a field of the wrong type', { method: 'POST', url: '/echo', payload: '{"text":5}' }, 400, 'text must be string'],
    [
      'an item of the wrong type',
      { method: 'POST', url: '/echo', payload: '{"list":[1,"a"]}' },
      400,
      'list[1] must be integer',
    ],
    ['an error of the catalogue', { method: 'POST', url: '/fail', payload: '{}' }, 503, 'come back later'],
    ['a fault of ours', { method: 'POST', url: '/broken', payload: '{}' }, 500, 'undefined is not a function'],
    [
      'a stream that fails before it begins',
      { method: 'POST', url: '/stream-fails-early', payload: '{}' },
      404,
      'no such model',
    ],
  ] as const)('%s', async (_, request, status, message) => {
    const response = await app.inject(request);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.json()).toEqual({ error: expect.stringContaining(message) });
  });

  test('a wrong method is told the right ones', async () => {
    expect((await app.inject({ method: 'POST', url: '/read' })).headers['allow']).toBe('GET, HEAD');
  });
});

describe('bodies', () => {
  test.each([undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'are JSON, whatever the content type says: %s',
    async (type) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const response = await app.inject({ method: 'POST', url: '/echo', payload: '{"TEXT":"hi"}', headers });
      expect(response.json()).toEqual({ text: 'hi' });
    },
  );
});

describe('streams', () => {
  test('are one object a line', async () => {
    const response = await app.inject({ method: 'POST', url: '/stream', payload: '{}' });
    expect(response.headers['content-type']).toBe('application/x-ndjson');
    expect(response.body).toBe('{"line":0}\n{"line":1}\n');
  });

  test('that fail late end with the error as their last line', async () => {
    const response = await app.inject({ method: 'POST', url: '/stream-fails-late', payload: '{}' });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('{"line":0}\n{"error":"gone"}\n');
  });
});

describe('who may ask', () => {
  test('a page from elsewhere may not, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      const response = await app.inject({ method, url: '/read', headers: { origin: 'https://evil.com' } });
      expect(response.statusCode).toBe(403);
    }
  });

  test('a local page may, and is told so', async () => {
    const origin = 'http://localhost:3000';
    const response = await app.inject({ url: '/read', headers: { origin } });
    expect(response.json()).toEqual({ ok: true });
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
    const streamed = await app.inject({ method: 'POST', url: '/stream', payload: '{}', headers: { origin } });
    expect(streamed.headers['access-control-allow-origin']).toBe(origin);
  });

  test('its browser may ask beforehand', async () => {
    const response = await app.inject({ method: 'OPTIONS', url: '/echo', headers: { origin: 'http://localhost' } });
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
      'access-control-max-age': '43200',
    });
    expect(response.headers['access-control-allow-headers']).toContain('x-stainless-arch');
  });

  test('a name that was made to point here may not', async () => {
    const response = await app.inject({ url: '/read', headers: { host: 'evil.com' } });
    expect(response.statusCode).toBe(403);
  });
});
