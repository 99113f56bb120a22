import { beforeEach, expect, test } from 'vitest';
import type { ModelList } from '../../api/models.ts';
import { newDocument } from '../../conversation/chat-document.ts';
import { createMemoryStorage } from '../../storage/memory-storage.ts';
import { PageSettingsStore } from '../../storage/page-settings.ts';
import { Workspace } from './workspace.ts';

const models = {
  find: () => undefined,
  preferred: () => 'ember',
  prefer: () => {},
  refreshStates: async () => {},
} as unknown as ModelList;
let storage: ReturnType<typeof createMemoryStorage>;
let workspace: Workspace;
/** What other tabs were told. */
let told: unknown[];
beforeEach(async () => {
  storage = createMemoryStorage();
  told = [];
  for (const id of ['a', 'b', 'c'])
    await storage.write({ ...newDocument({ id, model: 'ember', now: id }), title: id.toUpperCase() });
  workspace = new Workspace({
    ...{ storage, models, chats: await storage.list() },
    settings: new PageSettingsStore({ getItem: () => null, setItem: () => {} }),
    others: { postMessage: (message: unknown) => told.push(message), onmessage: null },
  });
});
const listed = () => workspace.chats.value.map(({ id }) => id);

test('several chats are deleted at once, and all come back', async () => {
  await workspace.remove(['a', 'c']);
  expect(listed()).toEqual(['b']);
  expect(await storage.read('a')).toBeUndefined();
  expect(workspace.deletion.value?.count).toBe(2);
  await workspace.deletion.value?.undo();
  expect(listed()).toEqual(['c', 'b', 'a']);
  expect(workspace.deletion.value).toBeUndefined();
  expect(told).toHaveLength(2);
});

test('if a deletion fails, those before it can be taken back', async () => {
  const { remove } = storage;
  storage.remove = (id) => (id === 'b' ? Promise.reject(new Error('no')) : remove(id));
  await expect(workspace.remove(['a', 'b', 'c'])).rejects.toThrow('no');
  expect([listed(), workspace.deletion.value?.count]).toEqual([['c', 'b'], 1]);
});

test('a change of title, folder or pin keeps the order, and reaches an open chat', async () => {
  const session = await workspace.open('a');
  await workspace.arrange(['a'], { title: 'New', pinned: true, folder: 'Work' });
  expect(listed()).toEqual(['c', 'b', 'a']);
  expect(workspace.chats.value.at(-1)).toMatchObject({ title: 'New', pinned: true, folder: 'Work', revision: 2 });
  expect(session?.document.value).toMatchObject({ title: 'New', folder: 'Work', revision: 2 });
  expect(told).toHaveLength(1);
});

test('a temporary chat is neither listed nor stored, and is forgotten at its end', async () => {
  const session = workspace.begin({ isTemporary: true });
  const { id } = session.document.value;
  session.editAnswer({ id: 'm', parent: null, role: 'assistant', content: '', created_at: '' }, 'Hi');
  await expect.poll(() => session.document.value.revision).toBe(1);
  expect(listed()).not.toContain(id);
  expect(await storage.read(id)).toBeUndefined();
  expect(told).toEqual([]);
  await workspace.end(session);
  expect(await workspace.open(id)).toBeUndefined();
});

test('a chat that is shared stays marked when it is saved, and other tabs are told', async () => {
  const session = await workspace.open('b');
  workspace.noteLink('b', 'abc');
  expect(told).toHaveLength(1);
  session?.editAnswer({ id: 'm', parent: null, role: 'assistant', content: '', created_at: '' }, 'Hi');
  await expect.poll(() => session?.document.value.revision).toBe(2);
  expect(workspace.chats.value[0]).toMatchObject({ id: 'b', revision: 2, shared_link: 'abc' });
  workspace.noteLink('b', undefined);
  expect(workspace.chats.value[0]?.shared_link).toBeUndefined();
});

test('a chat is added to the list and to the storage', async () => {
  const added = { ...newDocument({ id: 'd', model: 'ember', now: 'd' }), title: 'D' };
  expect(await workspace.add(added)).toBe('d');
  expect(listed()[0]).toBe('d');
  expect(await storage.read('d')).toMatchObject({ title: 'D', revision: 1 });
});
