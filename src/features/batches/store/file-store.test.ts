import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createDeferred } from '../../../base/deferred.ts';
import { FileStore } from './file-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const createStore = () => new FileStore({ folder, maxOwnerBytes: 100, clock: createFakeClock() });
const describe = () => ({ filename: 'a', purpose: 'batch' });

async function* send(bytes: number, until: Promise<void> = Promise.resolve()): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(bytes);
  await until;
}

test('uploads at the same time share the room of their owner', async () => {
  const store = createStore();
  const end = createDeferred<void>();
  const first = store.add('anna', send(60, end.promise), describe);
  await new Promise((resolve) => setImmediate(resolve));
  await expect.poll(() => readdirSync(join(folder, 'anna', 'files'))).toHaveLength(1);
  await expect(store.add('anna', send(60), describe)).rejects.toMatchObject({ code: 'files_full' });
  await store.add('bob', send(60), describe);
  end.resolve();
  const { id } = await first;
  await expect(store.add('anna', send(60), describe)).rejects.toMatchObject({ code: 'files_full' });
  await store.remove('anna', id);
  await store.add('anna', send(60), describe);
  expect(store.list('anna')).toHaveLength(1);
});

test('a store that is opened again has its files, and leaves out one that is damaged', async () => {
  const [kept] = createStore().list('anna');
  expect(kept).toBeUndefined();
  const store = createStore();
  await store.open('anna', new Set());
  const [file] = store.list('anna');
  expect(file).toMatchObject({ bytes: 60 });
  await expect(store.add('anna', send(60), describe)).rejects.toMatchObject({ code: 'files_full' });
  writeFileSync(join(folder, 'anna', 'files', `${file?.id}.json`), '{');
  const again = createStore();
  await again.open('anna', new Set());
  expect(again.list('anna')).toEqual([]);
  expect(readdirSync(join(folder, 'anna', 'files'))).toHaveLength(2);
});
