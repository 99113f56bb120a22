import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ModelList, toModelEntries } from './models.ts';

const details = {
  parent_model: '',
  format: 'gguf',
  family: 'llama',
  families: ['llama'],
  parameter_size: '42M',
  quantization_level: 'Q4_K_M',
};
const listed = {
  name: 'ember:latest',
  model: 'ember:latest',
  size: 26,
  digest: 'd',
  modified_at: '',
  details: { ...details, context_length: 4096 },
  capabilities: ['completion'],
};

test('a model that is not loaded has its trained context', () => {
  expect(toModelEntries([listed], [])).toEqual([
    {
      name: 'ember:latest',
      sizeBytes: 26,
      parameterSize: '42M',
      quantization: 'Q4_K_M',
      capabilities: ['completion'],
      state: 'unloaded',
      contextLength: 4096,
      modifiedAt: '',
    },
  ]);
});

test('a loaded model has the state and the context that it was loaded with', () => {
  const loaded = { ...listed, expires_at: '', size_vram: 0, context_length: 2048, state: 'busy' as const };
  expect(toModelEntries([listed], [loaded])).toMatchObject([{ state: 'busy', contextLength: 2048 }]);
});

test('a model that cannot be read has no capabilities, and no context', () => {
  const { capabilities, ...unreadable } = { ...listed, details };
  const [entry] = toModelEntries([unreadable], []);
  expect(entry).toMatchObject({ capabilities: [], contextLength: undefined });
});

/** What the server answers, and which paths were read. */
const server = { listed: ['ember'], loaded: [] as string[], read: [] as string[] };
const timesRead = (path: string): number => server.read.filter((one) => one === path).length;
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
let models: ModelList;
beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', Object.assign(new EventTarget(), { setTimeout, clearTimeout }));
  vi.stubGlobal('fetch', async (path: string) => {
    server.read.push(path);
    const names = path === '/api/tags' ? server.listed : server.loaded;
    return Response.json({ models: names.map((name) => ({ ...listed, name, state: 'idle' })) });
  });
  Object.assign(server, { listed: ['ember'], loaded: [] });
  models = new ModelList();
  await models.refresh();
  server.read = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the states are read without the list', async () => {
  server.loaded = ['ember'];
  await models.refreshStates();
  expect(models.entries.value).toMatchObject([{ name: 'ember', state: 'idle' }]);
  expect(server.read).toEqual(['/api/ps']);
});

test('the same states again render nothing', async () => {
  const seen: unknown[] = [];
  models.entries.subscribe((entries) => seen.push(entries?.[0]?.state));
  for (const loaded of [[], ['ember'], ['ember'], []]) {
    server.loaded = loaded;
    await models.refreshStates();
  }
  expect(seen).toEqual(['unloaded', 'idle', 'unloaded']);
});

test('a loaded model that is not in the list makes the page read the list, once', async () => {
  Object.assign(server, { listed: ['ember', 'twin'], loaded: ['twin', 'deleted'] });
  await models.refreshStates();
  expect(models.entries.value).toMatchObject([{ name: 'ember' }, { name: 'twin', state: 'idle' }]);
  await models.refreshStates();
  await models.refreshStates();
  expect(timesRead('/api/tags')).toBe(1);
});

test('a page that is only shown reads the states again and again, and the list when the user comes back', async () => {
  models.watch();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(timesRead('/api/ps')).toBeGreaterThan(10);
  expect(timesRead('/api/tags')).toBe(0);
  server.listed = ['ember', 'twin'];
  // A tab that is chosen gets both events.
  page.dispatchEvent(new Event('visibilitychange'));
  window.dispatchEvent(new Event('focus'));
  await vi.advanceTimersByTimeAsync(1000);
  expect(timesRead('/api/tags')).toBe(1);
  expect(models.entries.value).toHaveLength(2);
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(1000);
  expect(timesRead('/api/tags')).toBe(1);
});
