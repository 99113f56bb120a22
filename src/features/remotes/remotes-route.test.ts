import Fastify from 'fastify';
import { expect, test } from 'vitest';
import type { CallerKey } from '../../base/request/caller-key.ts';
import { checkEndpoint } from '../../inference/remote/remotes/remote-record.ts';
import type { GivenEndpoint, RemoteManager } from './manage-remotes.ts';
import { remotesRoutes } from './remotes-route.ts';

const admin: CallerKey = { id: '1', name: 'ops', scope: 'admin', group: 'g', models: [], weight: 1 };

interface Caller {
  readonly address?: string;
  readonly key?: CallerKey;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The routes as a server has them, for a caller at this address. */
function setUp({ address = '127.0.0.1', key, headers = {} }: Caller = {}) {
  const added: GivenEndpoint[] = [];
  const removed: unknown[] = [];
  const manager: RemoteManager = {
    list: () => [{ name: 'gpu', endpoints: [checkEndpoint({ url: 'http://a', keyRef: 'env:GPU_KEY' })] }],
    async add(name, endpoints) {
      added.push(...endpoints);
      return {
        name,
        endpoints: endpoints.map(({ url, keyFile }) => checkEndpoint({ url, keyRef: `file:/k/${keyFile}` })),
      };
    },
    remove: async (...words) => void removed.push(words),
    check: async () => [
      { endpoint: checkEndpoint({ url: 'http://a' }), facts: undefined, failure: 'is down', milliseconds: 3 },
    ],
  };
  const app = Fastify();
  const { signal } = new AbortController();
  const scope = { id: '1', client: 'c', signal, ...(key === undefined ? {} : { key }) };
  for (const { method, path, handle } of remotesRoutes(manager, { nameOf: (path) => path.replace('/k/', '') }))
    app.route({
      method,
      url: path,
      handler: async (request, reply) => handle(Object.assign(request, { scope }), reply),
    });
  app.setErrorHandler((error: Error, _, reply) => reply.code(500).send({ error: error.message }));
  const send = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const sent = await app.inject({ method, url, headers, remoteAddress: address, ...(payload ? { payload } : {}) });
    return sent.json();
  };
  return { send, added, removed };
}

test('a remote is added with one endpoint per address', async () => {
  const { send, added } = setUp();
  const body = { name: 'gpu', urls: ['http://a', 'http://b/v1'], kind: 'vllm', model: 'llama', key_file: 'gpu' };
  expect(await send('POST', '/api/remotes', body)).toEqual({
    name: 'gpu',
    endpoints: ['http://a', 'http://b'].map((url) => ({ url, kind: 'auto', key_file: 'gpu' })),
  });
  expect(added[1]).toEqual({ url: 'http://b/v1', kind: 'vllm', servedModel: 'llama', keyFile: 'gpu' });
});

test('remotes are listed with the places of their keys', async () => {
  expect(await setUp().send('GET', '/api/remotes')).toEqual({
    remotes: [{ name: 'gpu', endpoints: [{ url: 'http://a', kind: 'auto', key_env: 'GPU_KEY' }] }],
  });
});

test('a remote or one of its endpoints is removed', async () => {
  const { send, removed } = setUp();
  await send('DELETE', '/api/remotes/gpu');
  await send('DELETE', '/api/remotes/gpu?url=http%3A%2F%2Fa');
  expect(removed).toEqual([
    ['gpu', undefined],
    ['gpu', 'http://a'],
  ]);
});

test('a check reports endpoints that fail', async () => {
  expect(await setUp().send('POST', '/api/remotes/gpu/check')).toEqual({
    endpoints: [{ url: 'http://a', milliseconds: 3, error: 'is down' }],
  });
});

test('without keys, only programs on the machine of the server manage remotes', async () => {
  const others = setUp({ address: '192.0.2.1' });
  for (const [method, url] of [
    ['GET', '/api/remotes'],
    ['POST', '/api/remotes'],
    ['DELETE', '/api/remotes/gpu'],
    ['POST', '/api/remotes/gpu/check'],
  ] as const)
    expect(await others.send(method, url)).toEqual({ error: expect.stringContaining('only on the machine') });
  expect(others.removed).toEqual([]);
  expect(await setUp({ address: '192.0.2.1', key: admin }).send('GET', '/api/remotes')).toHaveProperty('remotes');
});

test('without keys, a page of another port of this machine manages no remotes', async () => {
  const { send } = setUp({ headers: { host: 'localhost:11434', origin: 'http://localhost:3000' } });
  expect(await send('POST', '/api/remotes', { name: 'gpu', urls: ['http://a'] })).toEqual({
    error: expect.stringContaining('only on the machine'),
  });
});
