// Links of shared conversations in files: what works after a crash, on a full disk, and with hostile or damaged files.

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
const openStore = (limits: Partial<ChatLimits> = {}, own = links): ChatStore =>
  createChatStore({
    openFolder: (name) => createChatFolder(join(folder, name), { clock, logger: silentLogger }),
    links: own,
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
    ...{ links, maxBytes: 2 ** 20, maxChats: 10, maxTotalBytes: 2 ** 30, clock, logger: silentLogger },
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
  const messages = [
    { id: 'a', role: 'system', content: 'Secret' },
    {
      id: 'b',
      role: 'user',
      content: 'Hi',
      images: ['aGk=', 5],
      files: [{ name: 'a.txt', text: 'x', path: '/' }, null],
    },
    { id: 'c', parent: 'b', role: 'assistant', content: 'No', model: 'ember', thinking: 'Secret', mcp_calls: [{}] },
    { id: 'd', parent: 'b', role: 'assistant', content: { hostile: true }, model: ['Secret'] },
  ] as object[] as StoredMessage[];
  const bodyOf = async (content: object, revision: number) => {
    const chat = await store.put(owner, { id, content: content as ChatContent, revision }, signal);
    return toSharedBody({ chat, author: 'anna' });
  };
  const question = { role: 'user', content: 'Hi', images: ['aGk='], files: [{ name: 'a.txt', text: 'x' }] };
  const answer = { role: 'assistant', content: 'No', model: 'ember' };
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
