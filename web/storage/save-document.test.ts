import { expect, test } from 'vitest';
import { newDocument, type TreeMessage } from '../conversation/chat-document.ts';
import type { ChatStorage } from './chat-storage.ts';
import { createMemoryStorage } from './memory-storage.ts';
import { saveDocument } from './save-document.ts';

const message = (id: string): TreeMessage => ({ id, parent: null, role: 'user', content: id, created_at: '' });
const document = { ...newDocument({ id: 'c', model: 'ember', now: '2026-01-01' }), messages: [message('a')] };

test('a document gets the revision of the storage', async () => {
  const storage = createMemoryStorage();
  const saved = await saveDocument(storage, document);
  expect(saved.revision).toBe(1);
  expect((await saveDocument(storage, { ...saved, title: 'New' })).revision).toBe(2);
  expect(await storage.read('c')).toMatchObject({ title: 'New', revision: 2 });
});

test('messages that were added elsewhere are kept', async () => {
  const storage = createMemoryStorage();
  const saved = await saveDocument(storage, document);
  await saveDocument(storage, { ...saved, messages: [...saved.messages, message('theirs')] });
  const merged = await saveDocument(storage, { ...saved, messages: [...saved.messages, message('ours')] });
  expect(merged.messages.map(({ id }) => id)).toEqual(['a', 'theirs', 'ours']);
  expect(await storage.read('c')).toEqual(merged);
});

test('a document that was deleted elsewhere is written again', async () => {
  const storage = createMemoryStorage();
  const saved = await saveDocument(storage, document);
  await storage.remove('c');
  expect(await saveDocument(storage, saved)).toMatchObject({ revision: 1 });
});

test('other errors are not hidden', async () => {
  const full: ChatStorage = {
    ...createMemoryStorage(),
    write: async () => {
      throw new Error('the disk is full');
    },
  };
  await expect(saveDocument(full, document)).rejects.toThrow('the disk is full');
});

test('the memory is searched in titles and texts, the newest first', async () => {
  const storage = createMemoryStorage();
  await storage.write({ ...document, id: 'old', title: 'Bread', updated_at: '2026-01-01' });
  await storage.write({ ...document, id: 'new', messages: [message('about BREAD')], updated_at: '2026-01-02' });
  await storage.write({ ...document, id: 'other', title: 'Cheese' });
  expect((await storage.list('bread')).map(({ id }) => id)).toEqual(['new', 'old']);
  expect(await storage.list()).toHaveLength(3);
});
