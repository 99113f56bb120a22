import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LibraryResponseBody } from '../../src/features/chats/library-schema.ts';
import { findPlaceholder, findPrompts, Library } from './library.ts';

type Tab = ConstructorParameters<typeof Library>[0];
const alone: Tab = { postMessage: () => {}, onmessage: null };

const prompt = (id: string, name: string) => ({ id, name, text: name });

/** What the server has; undefined: it keeps nothing. */
let stored: LibraryResponseBody | undefined;
/** Called before each write. */
let beforeWrite: () => void;
beforeEach(() => {
  stored = { presets: [], prompts: [], revision: 0 };
  beforeWrite = () => {};
  vi.stubGlobal('fetch', async (_: string, { method, body }: { readonly method: string; readonly body?: string }) => {
    if (stored === undefined) return Response.json({ error: 'no such route' }, { status: 404 });
    if (method === 'GET') return Response.json(stored);
    beforeWrite();
    const sent = JSON.parse(body ?? '') as LibraryResponseBody;
    if (sent.revision !== stored.revision) return Response.json({ error: 'changed' }, { status: 409 });
    stored = { ...sent, revision: sent.revision + 1 };
    return Response.json({ revision: stored.revision });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test('another tab shows what was changed, if it shows the library at all', async () => {
  const tabs: Tab[] = [];
  const open = (): Library => {
    const own: Tab = { onmessage: null, postMessage: () => tell(own) };
    tabs.push(own);
    return new Library(own);
  };
  const tell = (own: Tab): void => {
    for (const tab of tabs) if (tab !== own) tab.onmessage?.call({} as BroadcastChannel, new MessageEvent('message'));
  };
  const [first, second, hidden] = [open(), open(), open()];
  await second.load();
  await first.savePrompt({ name: 'Sum up', text: 'Sum up: ' });
  await expect.poll(() => second.content.value).toEqual(stored);
  expect(stored?.prompts).toHaveLength(1);
  expect(hidden.content.value).toBeUndefined();
});

test('entries are added, replaced and removed', async () => {
  const library = new Library(alone);
  await library.savePreset({ name: 'Brief', system: 'Be brief.' });
  await library.savePrompt({ name: 'Sum up', text: 'Sum up: ' });
  const [preset] = stored?.presets ?? [];
  if (preset === undefined) throw new Error('no preset');
  await library.savePreset({ ...preset, name: 'Short' });
  expect(stored).toMatchObject({ presets: [{ id: preset.id, name: 'Short' }], prompts: [{ name: 'Sum up' }] });
  await library.remove(preset.id);
  expect(library.content.value).toEqual(stored);
  expect(stored?.presets).toEqual([]);
});

test('a change that another page has made in between is kept', async () => {
  const library = new Library(alone);
  beforeWrite = () => {
    beforeWrite = () => {};
    stored = { presets: [], prompts: [prompt('t0', 'Theirs')], revision: 1 };
  };
  await library.savePrompt(prompt('t1', 'Ours'));
  expect(stored?.prompts.map(({ name }) => name)).toEqual(['Theirs', 'Ours']);
});

test('if the server keeps nothing, the page does until it is closed', async () => {
  stored = undefined;
  const library = new Library(alone);
  await library.savePrompt(prompt('t1', 'Ours'));
  await library.load();
  expect(library.content.value?.prompts).toHaveLength(1);
});

test('prompts are found by their names, those that begin with the text first', () => {
  const prompts = [prompt('1', 'Code review'), prompt('2', 'Review'), prompt('3', 'Reverse'), prompt('4', 'Sum up')];
  expect(findPrompts(prompts, 'REV').map(({ id }) => id)).toEqual(['3', '2', '1']);
  expect(findPrompts(prompts, '')).toHaveLength(4);
  expect(findPrompts(prompts, 'nothing')).toEqual([]);
});

test.each([
  ['Sum up {{text}} in {{count}} words', [7, 15]],
  ['Sum up: ', [8, 8]],
  ['Open {{ only', [12, 12]],
])('the first place to fill in of "%s"', (text, place) => {
  expect(findPlaceholder(text)).toEqual(place);
});
