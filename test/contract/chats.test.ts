// Stored conversations: each test name states a rule.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatsResponseBody } from '../../src/features/chats/chats-schema.ts';
import { startServer, type TestServer } from '../support/server.ts';

const id = 'a2c4e6f8-chat';
// Also the home folder of the server.
const folder = mkdtempSync(join(tmpdir(), 'hearth-chats-'));
const stored = join(folder, '.hearth', 'chats', 'local');
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ store: folder, environment: { HEARTH_MAX_CHATS: '2' } });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function send(method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.url}/api/chats${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const list = async (query = '') => (await send('GET', query)).body as unknown as ChatsResponseBody;

const messages = [
  { id: 'm1', parent: null, role: 'user', content: 'Where do apples grow?' },
  { id: 'm2', parent: 'm1', role: 'assistant', content: 'On trees.', stats: { eval_count: 3 } },
  { id: 'm3', parent: 'm1', role: 'assistant', content: 'In gardens.', tool_calls: [], folded: true },
];

test('a conversation is kept in a file that only the user of the server can read', async () => {
  const put = await send('PUT', `/${id}`, { title: 'Apples', model: 'ember', messages, color: 'red' });
  expect(put).toMatchObject({ status: 200, body: { id, title: 'Apples', message_count: 3, revision: 1 } });
  expect(readdirSync(stored)).toEqual([`${id}.json`]);
  expect(statSync(join(stored, `${id}.json`)).mode & 0o777).toBe(0o600);
});

test('a conversation survives the server', async () => {
  await server.stop();
  server = await startServer({ store: folder, environment: { HEARTH_MAX_CHATS: '2' } });
  const { body } = await send('GET', `/${id}`);
  expect(body).toMatchObject({ id, title: 'Apples', model: 'ember', messages, color: 'red', revision: 1 });
  expect((await list()).chats).toMatchObject([{ id, title: 'Apples', model: 'ember', message_count: 3 }]);
});

test('a change that is not based on the current revision gets status 409', async () => {
  expect((await send('PUT', `/${id}`, { title: 'Pears', messages, revision: 1 })).body['revision']).toBe(2);
  const { status, body } = await send('PUT', `/${id}`, { title: 'Plums', messages, revision: 1 });
  expect([status, body['code'], body['error']]).toEqual([
    409,
    'chat_conflict',
    `the conversation "${id}" was changed in the meantime: it has revision 2, not 1; read it again`,
  ]);
});

test('a search finds titles and messages in any case', async () => {
  await send('PUT', '/other-chat', { title: 'Other' });
  const found = async (text: string) => (await list(`?q=${text}`)).chats.map((chat) => chat.id);
  expect(await found('GARDEN')).toEqual([id]);
  expect(await found('other')).toEqual(['other-chat']);
  expect(await found('m1')).toEqual([]);
});

test('nothing is removed to make room: a conversation beyond a limit gets status 507', async () => {
  const { status, body } = await send('PUT', '/third-chat', {});
  expect([status, body['code']]).toEqual([507, 'chats_full']);
  expect((await list()).chats).toHaveLength(2);
});

const readShared = async (link: unknown) => {
  const response = await fetch(`${server.url}/api/shared-chats/${link}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('a shared conversation', () => {
  test('is read by its link as it is now, without what belongs to its owner', async () => {
    const { status, body } = await send('POST', `/${id}/share`);
    expect([status, body]).toEqual([200, { shared_link: expect.stringMatching(/^[0-9a-f]{40}$/) }]);
    expect((await send('POST', `/${id}/share`)).body).toEqual(body);
    expect((await send('GET', `/${id}`)).body).toMatchObject({ ...body, revision: 2 });
    expect((await list()).chats.find((chat) => chat.id === id)).toMatchObject(body);
    expect((await readShared(body['shared_link'])).body).toEqual({
      title: 'Pears',
      updated_at: expect.any(String),
      messages: [
        { role: 'user', content: 'Where do apples grow?' },
        { role: 'assistant', content: 'In gardens.' },
      ],
    });
    const change = { title: 'Quinces', system: 'Secret', options: { seed: 1 }, messages, leaf: 'm2', shared_link: 'x' };
    expect((await send('PUT', `/${id}`, { ...change, revision: 2 })).body).toMatchObject(body);
    const { body: read } = await readShared(body['shared_link']);
    expect(read).toMatchObject({ title: 'Quinces', messages: [{}, { content: 'On trees.' }] });
    expect(JSON.stringify(read)).not.toMatch(/Secret|seed|eval_count|revision/);
  });

  test('survives the server and its crash, and is not in an export', async () => {
    const { shared_link: link } = (await send('POST', `/${id}/share`)).body;
    server.signal('SIGKILL');
    await server.exit;
    server = await startServer({ store: folder, environment: { HEARTH_MAX_CHATS: '2' } });
    expect(await readShared(link)).toMatchObject({ status: 200, body: { title: 'Quinces' } });
    expect(JSON.stringify((await send('GET', '/export')).body)).not.toContain(link);
  });

  test('cannot be read when sharing has ended, whatever the reason', async () => {
    const share = async (): Promise<string> => String((await send('POST', `/${id}/share`)).body['shared_link']);
    const revoked = await share();
    for (let round = 0; round < 2; round++)
      expect((await send('DELETE', `/${id}/share`)).body).toEqual({ status: 'success' });
    expect((await send('GET', `/${id}`)).body).not.toHaveProperty('shared_link');
    const ended = await share();
    expect(ended).not.toBe(revoked);
    const { body: exported } = await send('GET', '/export');
    await send('DELETE', `/${id}`);
    await send('POST', '/import', exported);
    const refusals = await Promise.all(
      [revoked, ended, '0'.repeat(40), 'x', '..%2Flocal%2Fother-chat'].map(readShared),
    );
    for (const refusal of refusals) expect(refusal).toEqual({ ...refusals[0], status: 404 });
    expect(refusals[0]?.body['code']).toBe('link_not_found');
    expect(readdirSync(join(folder, '.hearth', 'chats', '.links'))).toEqual([]);
    for (const method of ['POST', 'DELETE'])
      expect((await send(method, '/missing-chat/share')).body['code']).toBe('chat_not_found');
  });
});

test('an export can be imported again', async () => {
  const exported = await send('GET', '/export');
  expect(exported.body).toMatchObject({ version: 1, chats: expect.arrayContaining([expect.objectContaining({ id })]) });
  expect((await send('DELETE', `/${id}`)).body).toEqual({ status: 'success' });
  expect((await send('GET', `/${id}`)).status).toBe(404);
  expect((await send('POST', '/import', exported.body)).body).toEqual({
    imported: 1,
    existing: 1,
    failed: 0,
    errors: [],
  });
  expect((await send('GET', `/${id}`)).body).toMatchObject({ title: 'Quinces', messages, revision: 1 });
});

test('with HEARTH_CHATS=0 there are no such routes', async () => {
  await server.stop();
  server = await startServer({ store: folder, environment: { HEARTH_CHATS: '0' } });
  for (const path of ['', `/${id}`, '/export']) expect((await send('GET', path)).status).toBe(404);
});
