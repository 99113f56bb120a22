// The routes over a real store in a folder, with and without keys.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createKeyFixture, type KeyFixture } from '../../../test/support/key-fixture.ts';
import { silentLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { dialectTable } from '../../server/compose/dialect-table.ts';
import { RequestTable } from '../../server/http/requests.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { chatsRoutes } from './chats-routes.ts';
import { chatsTransferRoutes } from './chats-transfer-routes.ts';
import { libraryRoutes } from './library-routes.ts';
import { sharingRoutes } from './sharing-routes.ts';
import { createChatFolder } from './store/chat-folder.ts';
import { createLinkFiles } from './store/chat-links.ts';
import { createChatStore } from './store/chat-store.ts';
import { createLibraryFiles, createLibraryStore } from './store/library-store.ts';

const id = 'a2c4e6f8-chat';
const now = '1970-01-01T00:00:01.000Z';
let folder: string;
let app: FastifyInstance;
let keys: KeyFixture;
beforeAll(() => {
  keys = createKeyFixture(systemClock);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-chats-'));
  const maxBytes = 10_000;
  const own = { clock: createFakeClock(1000), logger: silentLogger };
  const store = createChatStore({
    openFolder: (owner) => createChatFolder(join(folder, owner), own),
    links: createLinkFiles(folder, silentLogger),
    hasAccess: () => true,
    ...{ maxBytes, maxChats: 3, maxTotalBytes: 100_000 },
    ...own,
  });
  app = createHttpServer({
    routes: [
      ...chatsRoutes(store),
      ...sharingRoutes(store),
      ...chatsTransferRoutes({ store, maxBytes }),
      ...libraryRoutes(createLibraryStore(createLibraryFiles(folder, createFakeClock(1000)))),
    ],
    dialects: dialectTable,
    requests: new RequestTable({
      clock: systemClock,
      logger: silentLogger,
      identify: keys.authenticator.identify,
    }),
    access: keys.authenticator,
    maxBodyBytes: 2 ** 20,
    isAllowedOrigin: () => true,
    clock: systemClock,
    logger: silentLogger,
  });
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => keys.remove());

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
const send = (method: Method, path: string, body?: object | string, key?: string): Promise<LightMyRequestResponse> =>
  app.inject({
    method,
    url: `/api/chats${path}`,
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
  });
const put = (body: object, path = id) => send('PUT', `/${path}`, body);
const message = { id: 'm1', parent: null, role: 'user', content: 'Hi', images: [], mood: { calm: true } };

describe('a conversation', () => {
  test('is stored and read with its unknown fields and empty values', async () => {
    const content = { title: '', model: 'ember', system: '', options: {}, messages: [message], color: null };
    const stored = await put({ id, ...content, created_at: 'x', updated_at: 'x' });
    expect([stored.statusCode, stored.json()]).toEqual([
      200,
      { id, title: '', model: 'ember', message_count: 1, created_at: now, updated_at: now, revision: 1 },
    ]);
    const read = await send('GET', `/${id}`);
    expect(read.json()).toEqual({ id, ...content, created_at: now, updated_at: now, revision: 1 });
  });

  test('is changed only with its current revision', async () => {
    await put({ title: 'a' });
    const conflict = await put({ title: 'b' });
    expect([conflict.statusCode, conflict.json().code]).toEqual([409, 'chat_conflict']);
    expect((await put({ title: 'b', revision: 1 })).json()).toMatchObject({ title: 'b', revision: 2 });
  });

  test('is filed without a change of its messages and its time, and keeps its place when it is stored again', async () => {
    await put({ title: 'a', messages: [message] });
    const filed = await send('POST', `/${id}`, { title: 'b', pinned: true, folder: ' Fruit ' });
    expect(filed.json()).toMatchObject({ title: 'b', pinned: true, folder: 'Fruit', updated_at: now, revision: 2 });
    await put({ title: 'b', messages: [message], revision: 2, pinned: false, folder: 'Other' });
    expect((await send('GET', `/${id}`)).json()).toMatchObject({ pinned: true, folder: 'Fruit', messages: [message] });
    const { chats } = (await send('GET', '/export')).json();
    await send('DELETE', `/${id}`);
    await send('POST', '/import', { version: 1, chats });
    expect((await send('GET', '')).json().chats).toMatchObject([{ id, pinned: true, folder: 'Fruit' }]);
    const moved = await send('POST', `/${id}`, { pinned: false, folder: '' });
    expect(moved.json()).not.toHaveProperty('pinned');
    expect(moved.json()).not.toHaveProperty('folder');
    expect((await send('POST', '/missing-chat', {})).statusCode).toBe(404);
    expect((await send('POST', `/${id}`, { folder: 'x'.repeat(101) })).statusCode).toBe(400);
  });

  test('is deleted once', async () => {
    await put({});
    expect((await send('DELETE', `/${id}`)).json()).toEqual({ status: 'success' });
    for (const method of ['GET', 'DELETE'] as const) {
      const { statusCode, body } = await send(method, `/${id}`);
      expect([statusCode, JSON.parse(body).code]).toEqual([404, 'chat_not_found']);
    }
  });

  test.each([
    ['an id that is no file name', '..%2f..%2fchat-1', {}, 'the id of a conversation'],
    ['another id than the path', id, { id: 'other-chat' }, 'id: the path names another conversation'],
    ['a title that is too long', id, { title: 'x'.repeat(201) }, 'title must NOT have more than 200 characters'],
    ['a message without a role', id, { messages: [{ id: 'a' }] }, "messages[0] must have required property 'role'"],
    ['a message twice', id, { messages: [message, message] }, 'messages[1].id'],
    ['a parent that is missing', id, { messages: [{ ...message, parent: 'x' }] }, 'messages[0].parent'],
    ['a text that is no text', id, { messages: [{ ...message, content: 1 }] }, 'messages[0].content must be string'],
    ['a negative revision', id, { revision: -1 }, 'revision must be >= 0'],
  ])('with %s is refused', async (_, path, body, reason) => {
    const { statusCode, body: text } = await put(body, path);
    expect([statusCode, JSON.parse(text).error]).toEqual([400, expect.stringContaining(reason)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is nested deeply is refused', async () => {
    const { statusCode } = await send('PUT', `/${id}`, `{"format":${'['.repeat(5000)}${']'.repeat(5000)}}`);
    expect(statusCode).toBe(400);
  });

  test('beyond a limit is refused with a sentence', async () => {
    const large = await put({ messages: [{ ...message, content: 'x'.repeat(10_000) }] });
    expect([large.statusCode, large.json().error]).toEqual([413, expect.stringContaining('HEARTH_CHAT_SIZE')]);
    for (const name of ['chat-0001', 'chat-0002', 'chat-0003']) await put({}, name);
    const full = await put({}, 'chat-0004');
    expect([full.statusCode, full.json()]).toEqual([
      507,
      { code: 'chats_full', error: 'there are already 3 conversations, and HEARTH_MAX_CHATS is 3; delete some' },
    ]);
  });
});

test('a list has no texts, and a search finds them', async () => {
  await put({ title: 'Fruit', messages: [message] }, 'chat-0001');
  await put({ title: 'Other' }, 'chat-0002');
  const { chats, complete } = (await send('GET', '')).json();
  expect(complete).toBe(true);
  expect(chats).toContainEqual({
    ...{ id: 'chat-0001', title: 'Fruit', model: '', message_count: 1 },
    ...{ created_at: now, updated_at: now, revision: 1 },
  });
  const search = async (query: string) =>
    (await send('GET', `?q=${query}`)).json().chats.map((one: { id: string }) => one.id);
  expect(await search('hi')).toEqual(['chat-0001']);
  expect(await search('OTHER')).toEqual(['chat-0002']);
  expect(await search('%20%20')).toHaveLength(2);
  expect((await send('GET', `?q=${'x'.repeat(201)}`)).statusCode).toBe(400);
  expect((await send('GET', '?q=a&q=b')).statusCode).toBe(400);
});

describe('export and import', () => {
  test('an export is a JSON document, which can be imported again', async () => {
    await put({ title: 'a', messages: [message], color: 'red' }, 'chat-0001');
    await put({ title: 'b' }, 'chat-0002');
    const exported = await send('GET', '/export');
    expect(exported.headers['content-disposition']).toContain('attachment');
    const { version, chats } = exported.json();
    expect([version, chats.length]).toEqual([1, 2]);
    await send('DELETE', '/chat-0001');
    expect((await send('POST', '/import', exported.body)).json()).toEqual({
      ...{ imported: 1, existing: 1, failed: 0, errors: [] },
    });
    expect((await send('GET', '/chat-0001')).json()).toEqual(
      chats.find((one: { id: string }) => one.id === 'chat-0001'),
    );
  });

  test('an export without conversations is valid, too', async () => {
    expect((await send('GET', '/export')).json()).toEqual({ version: 1, chats: [] });
  });

  test('the times of an import are kept, and wrong ones are not', async () => {
    const times = { created_at: '2020-01-01T00:00:00.000Z', updated_at: '2021-01-01T00:00:00.000Z' };
    await send('POST', '/import', {
      chats: [
        { id: 'chat-0001', ...times },
        { id: 'chat-0002', created_at: 'soon' },
      ],
    });
    expect((await send('GET', '/chat-0001')).json()).toMatchObject({ ...times, revision: 1 });
    expect((await send('GET', '/chat-0002')).json()).toMatchObject({ created_at: now, updated_at: now });
  });

  test('what cannot be imported does not stop the rest, and is listed', async () => {
    const chats = [{ id: 'x' }, { id: 'chat-0001' }, { title: 'no id' }, { id: 'chat-0002', messages: 'none' }];
    const { imported, failed, errors } = (await send('POST', '/import', { chats })).json();
    expect([imported, failed]).toEqual([1, 3]);
    expect(errors.map((one: { index: number; code: string }) => [one.index, one.code])).toEqual([
      [0, 'bad_request'],
      [2, 'bad_request'],
      [3, 'bad_request'],
    ]);
  });

  test('a conversation that is too large does not stop the rest', async () => {
    const chats = [{ id: 'chat-0001', title: 'x', system: 'x'.repeat(20_000) }, { id: 'chat-0002' }];
    const { imported, errors } = (await send('POST', '/import', { chats })).json();
    expect([imported, errors]).toEqual([
      1,
      [
        {
          index: 0,
          code: 'body_too_large',
          error: 'the conversation has more than the 10000 bytes of HEARTH_CHAT_SIZE',
        },
      ],
    ]);
  });

  test('an import of which nearly everything fails is refused, with what was imported', async () => {
    const failing = Array.from({ length: 5000 }, () => ({ id: '?' }));
    const valid = { id: 'chat-one', content: { title: 'a', messages: [] } };
    const response = await send('POST', '/import', { chats: [valid, ...failing] });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatch(/^more than 1000 conversations cannot be imported.*; 1 were imported\./);
  });

  test('the largest conversation that can be stored can be exported and imported', async () => {
    const largest = async (system: string): Promise<boolean> =>
      (await put({ system }, 'x'.repeat(64))).statusCode === 200 || (system.length > 9000 && largest(system.slice(1)));
    expect(await largest('x'.repeat(10_000))).toBe(true);
    const exported = await send('GET', '/export');
    await send('DELETE', `/${'x'.repeat(64)}`);
    expect((await send('POST', '/import', exported.body)).json()).toMatchObject({ imported: 1, failed: 0 });
  });

  test.each(['', '{"chats":[', 'x'])('a body that is %j is refused', async (body) => {
    expect((await send('POST', '/import', body)).statusCode).toBe(400);
  });
});

test('each key has its own conversations', async () => {
  const [anna, bert] = [await keys.create('anna', { scope: 'admin' }), await keys.create('bert')];
  try {
    expect((await send('PUT', `/${id}`, { title: 'of anna' }, anna.text)).statusCode).toBe(200);
    expect((await send('GET', `/${id}`, undefined, bert.text)).statusCode).toBe(404);
    expect((await send('PUT', `/${id}`, { title: 'of bert' }, bert.text)).json().revision).toBe(1);
    expect((await send('GET', '/export', undefined, anna.text)).json().chats).toMatchObject([{ title: 'of anna' }]);
    expect((await send('GET', '')).statusCode).toBe(401);
    expect(readdirSync(folder).sort()).toEqual([anna.record.id, bert.record.id].sort());
  } finally {
    for (const name of ['anna', 'bert']) await keys.editor.revoke(name);
  }
});

describe('a library', () => {
  const library = (method: Method, body?: object, key?: string) =>
    app.inject({
      method,
      url: '/api/library',
      payload: body === undefined ? undefined : JSON.stringify(body),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
  const presets = [{ id: 'p1', name: 'Brief', model: 'ember', system: '', options: { seed: 1 }, format: null }];
  const prompts = [{ id: 't1', name: 'Sum up', text: '' }];

  test('is empty at first, and is changed only with its current revision', async () => {
    expect((await library('GET')).json()).toEqual({ presets: [], prompts: [], revision: 0 });
    expect((await library('PUT', { presets, prompts })).json()).toEqual({ revision: 1 });
    expect((await library('PUT', { presets: [], prompts })).statusCode).toBe(409);
    expect((await library('GET')).json()).toEqual({ presets, prompts, revision: 1 });
    expect((await send('GET', '')).json().chats).toEqual([]);
  });

  test('is refused if ids are repeated, or if it is too large or too deep', async () => {
    const again = await library('PUT', { presets: [...presets, ...presets], prompts });
    expect([again.statusCode, again.json().error]).toEqual([400, 'presets[1].id: another entry has this id']);
    const large = { id: 't1', name: 'Large', text: 'x'.repeat(2 ** 20) };
    expect((await library('PUT', { presets, prompts: [large] })).statusCode).toBe(413);
    const format = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown;
    expect((await library('PUT', { presets: [{ ...presets[0], format }], prompts })).statusCode).toBe(400);
    expect((await library('PUT', { prompts })).statusCode).toBe(400);
  });
});
