import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { identityOf } from '../../../base/process/process-identity.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createChatFolder } from './chat-folder.ts';
import type { ChatLimits } from './chat-limits.ts';
import { createLinkFiles } from './chat-links.ts';
import { type ChatStore, createChatStore } from './chat-store.ts';
import type { ChatContent } from './stored-chat.ts';

const owner = 'local';
const { signal } = new AbortController();
const ids = ['chat-one', 'chat-two', 'chat-three'] as const;
let folder: string;
let clock: FakeClock;
let store: ChatStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-chats-'));
  clock = createFakeClock(1000);
  store = openStore();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openStore = (limits: Partial<ChatLimits> = {}): ChatStore =>
  createChatStore({
    openFolder: (name) => createChatFolder(join(folder, name), { clock, logger: silentLogger }),
    links: createLinkFiles(folder, silentLogger),
    hasAccess: () => true,
    maxBytes: 2 ** 20,
    maxChats: 100,
    maxTotalBytes: 2 ** 30,
    ...limits,
    clock,
    logger: silentLogger,
  });
const put = (id: string, content: ChatContent = {}, revision = 0) =>
  store.put(owner, { id, content, revision }, signal);
const saying = (...texts: string[]): ChatContent => ({
  messages: texts.map((content, index) => ({ id: `m${index}`, content })),
});
const listed = async (from = store) => (await from.list(owner)).map(({ id }) => id);
const pathOf = (id: string): string => join(folder, owner, `${id}.json`);

describe('a conversation', () => {
  test('is read as it was stored, with fields that the server does not know', async () => {
    const content = { title: 'Töne', model: 'ember', ...saying('a\n"b"'), pinned: { by: ['me', null, 1.5] } };
    await put(ids[0], content);
    expect(await store.read(owner, ids[0])).toEqual({
      id: ids[0],
      content,
      summary: { title: 'Töne', model: 'ember', messages: 1, createdAt: 1000, updatedAt: 1000, revision: 1 },
    });
  });

  test('has a new revision and time after each change, and keeps the time of its creation', async () => {
    await put(ids[0]);
    clock.advance(500);
    const { summary } = await put(ids[0], { title: 'b' }, 1);
    expect(summary).toMatchObject({ createdAt: 1000, updatedAt: 1500, revision: 2 });
    expect((await store.list(owner))[0]).toMatchObject({ title: 'b', revision: 2 });
  });

  test('is a valid JSON file that only its owner can read, in a folder that only its owner can open', async () => {
    await put(ids[0], { title: 'a,\nb' });
    expect(JSON.parse(readFileSync(pathOf(ids[0]), 'utf8')).content).toEqual({ title: 'a,\nb' });
    expect(statSync(pathOf(ids[0])).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, owner)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, owner))).toEqual([`${ids[0]}.json`]);
  });

  test('is not found after it was deleted', async () => {
    await put(ids[0]);
    await store.remove(owner, ids[0], signal);
    await expect(store.read(owner, ids[0])).rejects.toMatchObject({ code: 'chat_not_found' });
    await expect(store.remove(owner, ids[0], signal)).rejects.toMatchObject({ code: 'chat_not_found' });
    expect(await listed()).toEqual([]);
  });

  test('of another owner is not seen', async () => {
    await put(ids[0]);
    expect(await store.list('0123456789abcdef')).toEqual([]);
    await expect(store.read('0123456789abcdef', ids[0])).rejects.toMatchObject({ code: 'chat_not_found' });
  });

  test('has an id that is no path', async () => {
    for (const id of ['../other-1', 'a/../../b', '.hidden-1']) {
      await expect(put(id)).rejects.toMatchObject({ code: 'bad_request' });
      await expect(store.read(owner, id)).rejects.toMatchObject({ code: 'bad_request' });
      await expect(store.remove(owner, id, signal)).rejects.toMatchObject({ code: 'bad_request' });
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a change', () => {
  test('of another revision than the stored one is refused', async () => {
    await put(ids[0], { title: 'a' });
    for (const revision of [0, 2]) {
      const refused = put(ids[0], { title: 'b' }, revision);
      await expect(refused).rejects.toMatchObject({ code: 'chat_conflict' });
      await expect(refused).rejects.toThrow(`it has revision 1, not ${revision}`);
    }
    expect((await store.read(owner, ids[0])).content.title).toBe('a');
  });

  test('of a deleted conversation is refused', async () => {
    await expect(put(ids[0], {}, 1)).rejects.toThrow('was deleted');
  });

  test('wins over others at the same time, which are refused', async () => {
    const results = await Promise.allSettled(['a', 'b', 'c'].map((title) => put(ids[0], { title })));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('by another server is seen, also if the files were read before', async () => {
    // Files that were changed in the last seconds are always read again.
    clock = createFakeClock(Date.now() + 60_000);
    store = openStore();
    const other = openStore();
    await put(ids[0], { title: 'a' });
    expect(await listed(other)).toEqual([ids[0]]);
    await put(ids[0], { title: 'b' }, 1);
    await put(ids[1]);
    await expect(other.put(owner, { id: ids[0], content: {}, revision: 1 }, signal)).rejects.toThrow('has revision 2');
    expect((await other.list(owner)).map(({ id, title }) => [id, title]).sort()).toEqual([
      [ids[0], 'b'],
      [ids[1], ''],
    ]);
  });
});

describe('a list', () => {
  test('has the last changed first', async () => {
    for (const id of ids) {
      await put(id);
      clock.advance(1);
    }
    await put(ids[0], {}, 1);
    expect(await listed()).toEqual([ids[0], ids[2], ids[1]]);
    expect(await listed(openStore())).toEqual([ids[0], ids[2], ids[1]]);
  });

  test('leaves out files that are damaged or no conversations', async () => {
    const { summary } = await put(ids[0]);
    for (const [name, text] of [
      ['damaged-1.json', '{'],
      ['version-2.json', '{"version":2,"summary":{},\n"content":{}}\n'],
      ['summary-1.json', '{"version":1,"summary":{"title":1},\n"content":{}}\n'],
      ['no-date-1.json', `{"version":1,"summary":${JSON.stringify({ ...summary, createdAt: 9e15 })},\n"content":{}}\n`],
      ['notes.txt', 'x'],
    ] as const)
      writeFileSync(join(folder, owner, name), text);
    expect(await listed(openStore())).toEqual([ids[0]]);
    await expect(store.read(owner, 'damaged-1')).rejects.toMatchObject({ code: 'store_damaged' });
  });
});

describe('limits', () => {
  test('a conversation that is too large is refused with both sizes', async () => {
    store = openStore({ maxBytes: 2 ** 20 });
    const refused = put(ids[0], saying('x'.repeat(2 ** 21)));
    await expect(refused).rejects.toMatchObject({ code: 'body_too_large' });
    await expect(refused).rejects.toThrow('has 2 MiB, more than the 1 MiB of HEARTH_CHAT_SIZE');
  });

  test('one conversation too many is refused; the others can still be changed', async () => {
    store = openStore({ maxChats: 2 });
    await put(ids[0]);
    await put(ids[1]);
    await expect(put(ids[2])).rejects.toMatchObject({ code: 'chats_full' });
    await put(ids[0], { title: 'b' }, 1);
    expect((await listed()).sort()).toEqual([ids[0], ids[1]]);
  });

  test('the size of all together counts; a conversation can become smaller', async () => {
    store = openStore({ maxTotalBytes: 5000 });
    await put(ids[0], saying('x'.repeat(3000)));
    await expect(put(ids[1], saying('x'.repeat(3000)))).rejects.toMatchObject({ code: 'chats_full' });
    store = openStore({ maxTotalBytes: 2000 });
    await put(ids[0], saying('x'.repeat(2500)), 1);
    await expect(put(ids[0], saying('x'.repeat(2600)), 2)).rejects.toMatchObject({ code: 'chats_full' });
  });

  test('a folder that cannot be written gives a sentence', async () => {
    folder = '/sys/hearth';
    store = openStore();
    const refused = put(ids[0]);
    await expect(refused).rejects.toMatchObject({ code: 'store_read_only' });
    await expect(refused).rejects.toThrow('the conversation was not saved: ');
  });
});

describe('a search', () => {
  const search = async (text: string) => {
    const { chats, complete } = await store.search(owner, text, signal);
    return { ids: chats.map(({ id }) => id).sort(), complete };
  };
  beforeEach(async () => {
    await put(ids[0], { title: 'Apples', ...saying('Where do pears grow?') });
    await put(ids[1], { title: 'Other', ...saying('Hi', 'On TREES.') });
    await put(ids[2], { messages: [{ id: 'a' }] });
  });

  test('finds titles and texts of messages in any case', async () => {
    expect(await search('apples')).toEqual({ ids: [ids[0]], complete: true });
    expect(await search('trees')).toEqual({ ids: [ids[1]], complete: true });
    expect(await search('m0')).toEqual({ ids: [], complete: true });
  });

  test('ends when its time is over, and says so', async () => {
    clock.monotonic = () => {
      clock.advance(1500);
      return clock.now() * 1e6;
    };
    expect((await search('apples')).complete).toBe(false);
  });

  test('ends when the client disconnects', async () => {
    const { complete } = await store.search(owner, 'apples', AbortSignal.abort());
    expect(complete).toBe(false);
  });
});

describe('an import', () => {
  test('keeps the times, and begins with revision 1', async () => {
    expect(await store.add(owner, { id: ids[0], content: { title: 'a' }, createdAt: 5, updatedAt: 7 }, signal)).toBe(
      true,
    );
    expect((await store.read(owner, ids[0])).summary).toMatchObject({ createdAt: 5, updatedAt: 7, revision: 1 });
  });

  test('does not change a conversation that exists', async () => {
    await put(ids[0], { title: 'a' });
    expect(await store.add(owner, { id: ids[0], content: { title: 'b' } }, signal)).toBe(false);
    expect((await store.read(owner, ids[0])).content.title).toBe('a');
  });

  test('of everything that was read is everything', async () => {
    for (const id of ids) await put(id, saying(id));
    const all = [];
    for await (const chat of store.readAll(owner)) all.push(chat);
    for (const { id, content } of all) await store.add('other', { id, content }, signal);
    expect((await store.list('other')).map(({ id }) => id).sort()).toEqual([...ids].sort());
  });
});

describe('several servers with one folder', () => {
  const { pid } = process;
  const other = (): ChatStore =>
    createChatStore({
      openFolder: (name) => createChatFolder(join(folder, name), { clock: systemClock, logger: silentLogger }),
      links: createLinkFiles(folder, silentLogger),
      hasAccess: () => true,
      maxBytes: 2 ** 20,
      maxChats: 100,
      maxTotalBytes: 2 ** 30,
      clock: systemClock,
      logger: silentLogger,
    });

  test('of writes that change the same revision, one succeeds', async () => {
    const stores = Array.from({ length: 8 }, other);
    for (let revision = 0; revision < 10; revision++) {
      const writes = stores.map((from, index) =>
        from.put(owner, { id: ids[0], content: { title: `${revision} of ${index}` }, revision }, signal),
      );
      const results = await Promise.allSettled(writes);
      const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(stored).toHaveLength(1);
      expect(await store.read(owner, ids[0])).toEqual(stored[0]);
    }
    expect(readdirSync(join(folder, owner))).toEqual([`${ids[0]}.json`]);
  });

  test('the lock of a process that was killed is removed', async () => {
    await put(ids[0]);
    const ended = { ...identityOf(pid), startTime: '1' };
    writeFileSync(join(folder, owner, `${ids[0]}.lock`), JSON.stringify(ended));
    expect((await put(ids[0], {}, 1)).summary.revision).toBe(2);
    expect(readdirSync(join(folder, owner))).toEqual([`${ids[0]}.json`]);
  });
});
