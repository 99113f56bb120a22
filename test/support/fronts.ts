// Servers that share their state in one PostgreSQL, in front of the same endpoint.

import { systemClock } from '../../src/base/time/clock.ts';
import { createKeyEditor, type NewKey } from '../../src/features/keys/access/edit-keys.ts';
import { createSharedKeyHome } from '../../src/features/keys/access/key-home.ts';
import type { KeyGrant } from '../../src/features/keys/access/key-record.ts';
import { startServer, type TestServer } from './server.ts';
import { createTestState } from './shared-state.ts';

/** As `hearth keys create` on the machine of a server. */
export async function createSharedKey(address: string, grant: Partial<KeyGrant> & { name: string }): Promise<NewKey> {
  const state = createTestState(address);
  const home = createSharedKeyHome(state, () => {});
  await state.open();
  try {
    return await createKeyEditor(home, systemClock).create({ scope: 'infer', models: [], weight: 1, ...grant });
  } finally {
    await state.close();
  }
}

export function startFront(
  address: string,
  {
    store,
    environment = {},
  }: { readonly store?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<TestServer> {
  return startServer({ store, environment: { HEARTH_STATE: address, ...environment } });
}

interface Call {
  readonly key: string;
  readonly method?: string;
  readonly body?: object;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function call(server: Pick<TestServer, 'url'>, path: string, { key, method, body }: Call): Promise<Reply> {
  const response = await fetch(server.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${key}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

/** Makes the endpoint's model available under its name. */
export async function addRemoteModel(
  server: TestServer,
  { url, model = 'held', key }: { readonly url: string; readonly model?: string; readonly key: string },
): Promise<void> {
  const requests = [
    ['/api/remotes', { name: model, urls: [url], kind: 'openai' }],
    ['/api/create', { model, from: `remote://${model}/${model}`, stream: false }],
  ] as const;
  for (const [path, body] of requests) {
    const { status, body: answer } = await call(server, path, { key, body });
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  }
}
