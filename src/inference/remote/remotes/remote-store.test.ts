import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { checkEndpoint, encodeRemotes } from './remote-record.ts';
import { createRemoteStore, type RemoteStore } from './remote-store.ts';

let folder: string;
let path: string;
let clock: FakeClock;
let store: RemoteStore;
const open = (): RemoteStore => createRemoteStore({ path, clock, logger: silentLogger });
const endpoint = (url: string, kind = 'auto') => checkEndpoint({ url, kind });
const urlsOf = (name: string) => store.find(name)?.endpoints.map(({ url }) => url);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-remotes-'));
  path = join(folder, 'state', 'remotes.json');
  clock = createFakeClock();
  store = open();
});
afterEach(() => rmSync(folder, { recursive: true }));

test('endpoints are added to a remote and replaced, and the file is private', async () => {
  await store.add('gpu', [endpoint('http://a')]);
  await store.add('gpu', [endpoint('http://b'), endpoint('http://a', 'vllm')]);
  expect(urlsOf('gpu')).toEqual(['http://a', 'http://b']);
  expect(store.find('gpu')?.endpoints[0]?.kind).toBe('vllm');
  expect(open().list()).toEqual(store.list());
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an endpoint or a remote is removed', async () => {
  await store.add('gpu', [endpoint('http://a'), endpoint('http://b')]);
  await store.remove('gpu', 'http://a');
  expect(urlsOf('gpu')).toEqual(['http://b']);
  await expect(store.remove('gpu', 'http://a')).rejects.toMatchObject({ code: 'remote_not_found' });
  await store.remove('gpu');
  expect(store.list()).toEqual([]);
  await expect(store.remove('gpu')).rejects.toMatchObject({ code: 'remote_not_found' });
});

test('changes at the same time are all kept', async () => {
  await Promise.all(['a', 'b', 'c'].map((name) => store.add(name, [endpoint('http://x')])));
  expect(
    store
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['a', 'b', 'c']);
});

test('an edited file is read within a second, and a damaged one changes nothing', async () => {
  await store.add('gpu', [endpoint('http://a')]);
  writeFileSync(path, encodeRemotes([{ name: 'other', endpoints: [endpoint('http://c')] }]));
  clock.advance(1001);
  expect(urlsOf('other')).toEqual(['http://c']);
  writeFileSync(path, '{');
  clock.advance(1001);
  expect(urlsOf('other')).toEqual(['http://c']);
});

test('a damaged file ends the start', async () => {
  await store.add('gpu', [endpoint('http://a')]);
  writeFileSync(path, readFileSync(path, 'utf8').slice(1));
  expect(open).toThrow(expect.objectContaining({ code: 'bad_configuration' }));
});
