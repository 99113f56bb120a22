// Links to shared conversations, as administrators see them, and what happens to the links of an author without a key.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.ts';
import type { ChatLinksResponseBody } from '../../src/features/chats/sharing-schema.ts';
import { createKeyEditor } from '../../src/features/keys/access/edit-keys.ts';
import { createKeyFileHome } from '../../src/features/keys/access/key-home.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-chat-links-'));
const keysFile = join(folder, 'keys.json');
const editor = createKeyEditor(createKeyFileHome(keysFile, systemClock), systemClock, () => {});
const keys = { anna: '', ben: '' };
let server: TestServer;
beforeAll(async () => {
  keys.anna = await createKey('anna', 'admin');
  keys.ben = await createKey('ben', 'infer');
  server = await startServer({ environment: { HEARTH_KEYS_FILE: keysFile } });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function createKey(name: string, scope: 'admin' | 'infer'): Promise<string> {
  return (await editor.create({ name, scope, models: [], weight: 1 })).text;
}

async function send(key: string, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(server.url + path, { method, headers, body: body ? JSON.stringify(body) : null });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function share(id: string, title: string): Promise<string> {
  await send(keys.ben, 'PUT', `/api/chats/${id}`, { title });
  return String((await send(keys.ben, 'POST', `/api/chats/${id}/share`)).body['shared_link']);
}

const listed = async () =>
  ((await send(keys.anna, 'GET', '/api/chat-links')).body as unknown as ChatLinksResponseBody).links;
const read = async (link: string) => (await send(keys.anna, 'GET', `/api/shared-chats/${link}`)).status;

test('an administrator sees the links of all, and ends one', async () => {
  const link = await share('bens-chat', 'Apples');
  const facts = { shared_link: link, title: 'Apples', author: 'ben', state: 'active' };
  expect(await listed()).toEqual([{ ...facts, updated_at: expect.any(String) }]);
  expect(await read(link)).toBe(200);
  expect((await send(keys.anna, 'DELETE', `/api/chat-links/${link}`)).body).toEqual({ status: 'success' });
  expect(await read(link)).toBe(404);
  expect(await listed()).toEqual([]);
  expect((await send(keys.ben, 'GET', '/api/chats/bens-chat')).body).not.toHaveProperty('shared_link');
  const again = await send(keys.anna, 'DELETE', `/api/chat-links/${link}`);
  expect([again.status, again.body['code']]).toEqual([404, 'link_not_found']);
  expect(server.log()).toContain(`action="end shared link" subject="${link.slice(0, 8)}…" key=anna`);
});

test('nobody else does', async () => {
  const link = await share('bens-chat', 'Apples');
  for (const [method, path] of [
    ['GET', '/api/chat-links'],
    ['DELETE', `/api/chat-links/${link}`],
  ] as const)
    expect((await send(keys.ben, method, path)).body).toMatchObject({ code: 'missing_scope' });
  expect(await read(link)).toBe(200);
  for (const after of ['x', '..', `${link}&after=${link}`])
    expect((await send(keys.anna, 'GET', `/api/chat-links?after=${after}`)).status).toBe(400);
});

test('a conversation in a shared folder is listed for all keys, without what is private', async () => {
  const link = await share('bens-chat', 'Apples');
  const put = async (folder: unknown) => (await send(keys.ben, 'PUT', '/api/chats/bens-chat/share', { folder })).status;
  expect(await put('Recipes')).toBe(200);
  const found = async () => (await send(keys.anna, 'GET', '/api/shared-chats')).body['chats'];
  expect(await found()).toEqual([
    { shared_link: link, title: 'Apples', author: 'ben', folder: 'Recipes', updated_at: expect.any(String) },
  ]);
  expect([await put('x'.repeat(101)), await put(5), await put(undefined)]).toEqual([400, 400, 400]);
  // Others can neither put it elsewhere nor change it.
  const missing = await send(keys.anna, 'PUT', '/api/chats/bens-chat/share', { folder: 'Mine' });
  expect(missing.body['code']).toBe('chat_not_found');
  expect(await put('')).toBe(200);
  expect(await found()).toEqual([]);
  expect(await read(link)).toBe(200);
});

test('links end with the key of their author', async () => {
  const link = await share('last-chat', 'Pears');
  expect(await read(link)).toBe(200);
  expect((await send(keys.anna, 'DELETE', '/api/keys/ben')).status).toBe(200);
  expect(await read(link)).toBe(404);
  const { state } = (await listed()).find(({ shared_link: other }) => other === link) ?? {};
  expect(state).toBe('suspended');
});
