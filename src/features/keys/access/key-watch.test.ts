import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { createKeyFixture, type KeyFixture } from '../../../../test/support/key-fixture.ts';
import { createKeyEditor, type KeyEditor } from './edit-keys.ts';
import { KeyWatch } from './key-watch.ts';

let clock: FakeClock;
let fixture: KeyFixture;
// As of another process, which does not tell the server.
let elsewhere: KeyEditor;
let revoked: string[];
beforeEach(() => {
  clock = createFakeClock();
  fixture = createKeyFixture(clock);
  elsewhere = createKeyEditor(fixture.home, clock);
  revoked = [];
});
afterEach(() => fixture.remove());

const watch = async (name: string): Promise<() => void> => {
  const { record } = await fixture.create(name);
  return fixture.watch.add(record.id, () => revoked.push(name));
};

test('a key that this process revokes is reported at once, and others are not', async () => {
  await watch('anna');
  await watch('bert');
  await fixture.editor.revoke('anna');
  expect(revoked).toEqual(['anna']);
  await fixture.editor.revoke('bert');
  expect(revoked).toEqual(['anna', 'bert']);
});

test.each(['revoke', 'rotate'] as const)('another process can %s a key, which is seen within a second', async (act) => {
  await watch('anna');
  await watch('bert');
  await elsewhere[act]('anna');
  expect(revoked).toEqual([]);
  clock.advance(1000);
  expect(revoked).toEqual(['anna']);
  clock.advance(5000);
  await elsewhere[act]('bert');
  clock.advance(1000);
  expect(revoked).toEqual(['anna', 'bert']);
});

test('a key is reported once for each request', async () => {
  const { record } = await fixture.create('anna');
  for (const request of ['1', '2']) fixture.watch.add(record.id, () => revoked.push(request));
  await elsewhere.revoke('anna');
  clock.advance(10_000);
  expect(revoked).toEqual(['1', '2']);
});

test('nothing is reported after the end of a watch, and the keys are not read any more', async () => {
  let reads = 0;
  const keys = { find: (id: string) => fixture.keys.find(id), refresh: () => reads++ };
  const { record } = await fixture.create('anna');
  const end = new KeyWatch(keys, clock).add(record.id, () => revoked.push('anna'));
  clock.advance(2000);
  expect(reads).toBe(2);
  end();
  await elsewhere.revoke('anna');
  clock.advance(10_000);
  expect(revoked).toEqual([]);
  expect(reads).toBe(3);
});
