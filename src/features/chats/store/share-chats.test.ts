// Links of shared conversations in files: what works after a crash, on a full disk, and with hostile or damaged files.

import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { toSharedBody } from '../to-shared-body.ts';
import { encodeChat } from './chat-file.ts';
import { createChatFolder } from './chat-folder.ts';
import type { ChatLimits } from './chat-limits.ts';
import { type ChatLinks, createLinkFiles } from './chat-links.ts';
import { type ChatStore, createChatStore } from './chat-store.ts';
import type { ChatContent, StoredMessage } from './stored-chat.ts';

const owner = 'local';
const id = 'chat-one';
const { signal } = new AbortController();
const clock = systemClock;
let folder: string;
let links: ChatLinks;
let store: ChatStore;
/** Owners without access. */
const barred = new Set<string>();
const openStore = (limits: Partial<ChatLimits> = {}, own = links): ChatStore =>
  createChatStore({
    openFolder: (name) => createChatFolder(join(folder, name), { clock, logger: silentLogger }),
    links: own,
    hasAccess: (name) => !barred.has(name),
    maxBytes: 2 ** 20,
    maxChats: 1000,
    maxTotalBytes: 2 ** 30,
    ...limits,
    clock,
    logger: silentLogger,
  });
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-links-'));
  links = createLinkFiles(folder, silentLogger);
  store = openStore();
  await store.put(owner, { id, content: { title: 'Apples' }, revision: 0 }, signal);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const share = (from = store, chat = id) => from.share(owner, chat, { signal });
const entries = (): string[] => readdirSync(join(folder, '.links'));
const refusal = expect.objectContaining({ code: 'link_not_found' });

test('only the user of the server can read entries, and two shares at once have one link', async () => {
  const shared = await Promise.all([share(), share(), share(openStore())]);
  expect(new Set(shared).size).toBe(1);
  expect(entries()).toEqual([`${shared[0]}.json`]);
  expect(statSync(join(folder, '.links', `${shared[0]}.json`)).mode & 0o777).toBe(0o600);
  expect((await store.readShared(shared[0])).chat).toMatchObject({ id, summary: { title: 'Apples', revision: 1 } });
});

test('an entry without a conversation that names it gives access to nothing', async () => {
  const link = 'a'.repeat(40);
  await links.write(link, { owner, id });
  await expect(store.readShared(link)).rejects.toEqual(refusal);
  const shared = await share();
  expect(shared).not.toBe(link);
  await links.write(link, { owner: '../..', id });
  await expect(store.readShared(link)).rejects.toEqual(refusal);
  writeFileSync(join(folder, '.links', `${link}.json`), '{"version":1,"owner":"local"');
  await expect(store.readShared(link)).rejects.toEqual(refusal);
});

test('a link whose entry is gone does not come back when the conversation is shared again', async () => {
  const old = await share();
  await links.remove(old);
  await expect(store.readShared(old)).rejects.toEqual(refusal);
  const next = await share();
  expect(next).not.toBe(old);
  await expect(store.readShared(old)).rejects.toEqual(refusal);
  expect((await store.readShared(next)).chat.id).toBe(id);
});

test('a link ends before the conversation is written, and a later attempt ends the rest', async () => {
  const link = await share();
  const write = vi.fn().mockRejectedValueOnce(new Error('the disk is full'));
  const failing = createChatStore({
    openFolder: (name) => {
      const own = createChatFolder(join(folder, name), { clock, logger: silentLogger });
      return { ...own, lock: (chat, work) => own.lock(chat, (locked) => work({ ...locked, write })) };
    },
    ...{
      links,
      hasAccess: () => true,
      maxBytes: 2 ** 20,
      maxChats: 10,
      maxTotalBytes: 2 ** 30,
      clock,
      logger: silentLogger,
    },
  });
  await expect(failing.stopSharing(owner, id, signal)).rejects.toThrow('the disk is full');
  await expect(store.readShared(link)).rejects.toEqual(refusal);
  await store.stopSharing(owner, id, signal);
  expect((await store.read(owner, id)).summary.link).toBeUndefined();
});

test('a conversation that cannot be shared leaves no entry, and one beyond lowered limits can be unshared', async () => {
  const tight = openStore({ maxBytes: 10 });
  await expect(share(tight)).rejects.toMatchObject({ code: 'body_too_large' });
  expect(entries()).toEqual([]);
  const link = await share();
  await tight.stopSharing(owner, id, signal);
  await expect(store.readShared(link)).rejects.toEqual(refusal);
});

test('the link of an owner without access does not work, and works again with access', async () => {
  const link = await share();
  barred.add(owner);
  await expect(store.readShared(link)).rejects.toEqual(refusal);
  expect((await store.listLinks('', 9)).links).toMatchObject([{ link, hasAccess: false }]);
  barred.clear();
  expect((await store.readShared(link)).chat.id).toBe(id);
});

test('links of all owners are listed in parts, and ended without their owners', async () => {
  await store.put('other', { id, content: { title: 'Pears' }, revision: 0 }, signal);
  const pears = await store.share('other', id, { author: 'ben', signal });
  const shared = [await share(), pears].sort();
  // An entry that gives access to nothing, one that is damaged, and another file.
  await links.write('f'.repeat(40), { owner, id });
  writeFileSync(join(folder, '.links', `${'e'.repeat(40)}.json`), '{');
  writeFileSync(join(folder, '.links', 'notes.txt'), '');
  const first = await store.listLinks('', 1);
  const rest = await store.listLinks(first.next ?? '', 9);
  expect([...first.links, ...rest.links].map(({ link }) => link)).toEqual(shared);
  expect(rest.next).toBeUndefined();
  expect([...first.links, ...rest.links]).toContainEqual({
    ...{ link: pears, author: 'ben', title: 'Pears', hasAccess: true },
    folder: undefined,
    updatedAt: (await store.read('other', id)).summary.updatedAt,
  });
  await store.endLink(pears, signal);
  await expect(store.readShared(pears)).rejects.toEqual(refusal);
  expect((await store.read('other', id)).summary.link).toBeUndefined();
  await expect(store.endLink(pears, signal)).rejects.toEqual(refusal);
  await expect(store.endLink('../../x', signal)).rejects.toEqual(refusal);
});

test('the end of a link writes nothing where an entry that was edited by hand points', async () => {
  const link = 'a'.repeat(40);
  await links.write(link, { owner: '../elsewhere', id });
  await store.endLink(link, signal);
  expect(entries()).toEqual([]);
  expect(readdirSync(folder)).toEqual(['.links', owner]);
  expect(existsSync(join(folder, '..', 'elsewhere'))).toBe(false);
});

test('a shared folder has conversations of all owners with access, until they are taken out or their links end', async () => {
  await store.put('other', { id, content: { title: 'Pears' }, revision: 0 }, signal);
  const put = (name: string, place: string) => store.putIntoFolder(name, id, { folder: place, author: name, signal });
  const found = async () =>
    (await store.listFolders(9)).map(({ title, author, folder: name }) => [name, title, author]);
  const apples = await put(owner, ' Fruit ');
  const pears = await put('other', 'Fruit');
  expect((await found()).sort()).toEqual([
    ['Fruit', 'Apples', owner],
    ['Fruit', 'Pears', 'other'],
  ]);
  expect(await store.listFolders(1)).toHaveLength(1);
  // The link stays the same, and neither the conversation nor its revision changes.
  expect(await share()).toBe(apples);
  expect((await store.read(owner, id)).summary).toMatchObject({ link: apples, revision: 1 });
  barred.add('other');
  expect(await found()).toEqual([['Fruit', 'Apples', owner]]);
  barred.clear();
  expect(await put('other', '')).toBe(pears);
  expect(await found()).toEqual([['Fruit', 'Apples', owner]]);
  expect((await store.readShared(pears)).chat.summary.title).toBe('Pears');
  await store.stopSharing(owner, id, signal);
  expect(await found()).toEqual([]);
  await expect(store.putIntoFolder(owner, 'missing-chat', { folder: 'x', signal })).rejects.toMatchObject({
    code: 'chat_not_found',
  });
});

test('an owner can share 500 conversations', async () => {
  // Written directly: the store waits for the disk each time.
  const summary = { ...(await store.read(owner, id)).summary, link: 'b'.repeat(40) };
  for (let index = 0; index < 500; index++)
    writeFileSync(join(folder, owner, `numbered-${index}.json`), encodeChat({ summary, content: {} }));
  await expect(share()).rejects.toMatchObject({ code: 'chats_full' });
  expect(entries()).toEqual([]);
  await store.stopSharing(owner, 'numbered-0', signal);
  await share();
});

test('a damaged conversation is refused like a link that does not exist', async () => {
  const link = await share();
  writeFileSync(join(folder, owner, `${id}.json`), '{');
  await expect(store.readShared(link)).rejects.toEqual(refusal);
  await store.remove(owner, id, signal);
});

test('readers get the branch of the author, and no field that they are not meant to get', async () => {
  const named = { at: 2, server: 'files', tool: 'read', is_error: true };
  const call = { ...named, id: 'x', arguments: { path: 'Secret' }, result: 'Secret' };
  const messages = [
    { id: 'a', role: 'system', content: 'Secret' },
    {
      id: 'b',
      role: 'user',
      content: 'Hi',
      images: ['aGk=', 5],
      files: [{ name: 'a.txt', text: 'x', path: '/' }, null],
    },
    {
      id: 'c',
      parent: 'b',
      role: 'assistant',
      content: 'No',
      model: 'ember',
      thinking: 'Secret',
      mcp_calls: [call, {}, null],
    },
    { id: 'd', parent: 'b', role: 'assistant', content: { hostile: true }, model: ['Secret'] },
  ] as object[] as StoredMessage[];
  const bodyOf = async (content: object, revision: number) => {
    const chat = await store.put(owner, { id, content: content as ChatContent, revision }, signal);
    return toSharedBody({ chat, author: 'anna' });
  };
  const question = { role: 'user', content: 'Hi', images: ['aGk='], files: [{ name: 'a.txt', text: 'x' }] };
  const answer = { role: 'assistant', content: 'No', model: 'ember', mcp_calls: [named] };
  const first = await bodyOf({ title: 'T', messages, leaf: 'c', options: { seed: 1 } }, 1);
  expect(first).toEqual({ title: 'T', author: 'anna', updated_at: expect.any(String), messages: [question, answer] });
  // The last message ends the branch if the author names none that exists.
  expect((await bodyOf({ messages, leaf: 'gone' }, 2)).messages).toEqual([
    question,
    { role: 'assistant', content: '' },
  ]);
  expect((await bodyOf({ messages, leaf: 'a' }, 3)).messages).toEqual([]);
  expect((await bodyOf({}, 4)).messages).toEqual([]);
});
