import { chmodSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { createKeyFixture, type KeyFixture } from '../../../../test/support/key-fixture.ts';
import { silentLogger } from '../../../base/logger.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createKeyEditor } from './edit-keys.ts';
import { createKeyFileHome } from './key-home.ts';
import { KeyStore } from './key-store.ts';
import { parseKey } from './key-text.ts';

let clock: FakeClock;
let fixture: KeyFixture;
beforeEach(() => {
  clock = createFakeClock();
  fixture = createKeyFixture(clock);
});
afterEach(() => fixture.remove());

describe('the file', () => {
  test('has only hashes, is readable only for its owner, and no other file is left', async () => {
    const { text } = await fixture.create('anna');
    await fixture.create('bert');
    expect(readFileSync(fixture.path, 'utf8')).not.toContain(parseKey(text)?.secret ?? text);
    expect(statSync(fixture.path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(fixture.path))).toEqual(['keys.json']);
  });

  test('changes of several processes at the same time are all kept', async () => {
    const editors = Array.from({ length: 5 }, () =>
      createKeyEditor(createKeyFileHome(fixture.path, systemClock), systemClock),
    );
    const names = editors.map((_, index) => `key-${index}`);
    await Promise.all(
      editors.map((editor, index) =>
        editor.create({ name: names[index] as string, scope: 'infer', models: [], weight: 1 }),
      ),
    );
    expect(
      fixture.editor
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names);
  });

  test('of a process that was killed in a change does not block the next one', async () => {
    writeFileSync(`${fixture.path}.lock`, '');
    utimesSync(`${fixture.path}.lock`, 0, 0);
    await createKeyEditor(createKeyFileHome(fixture.path, systemClock), systemClock).create({
      name: 'anna',
      scope: 'infer',
      models: [],
      weight: 1,
    });
    expect(fixture.editor.list()).toHaveLength(1);
  });

  test.each([
    ['no JSON', 'x'],
    ['another version', '{"version":2,"keys":[]}'],
    ['a wrong scope', (text: string) => text.replace('"infer"', '"everything"')],
    ['a short hash', (text: string) => text.replace(/"hash": "[0-9a-f]+"/, '"hash": "00"')],
    ['two equal names', (text: string) => text.replace('"bert"', '"anna"')],
    ['a weight of 0', (text: string) => text.replace('"weight": 1', '"weight": 0')],
  ])('with %s stops the start, and does not change a running server', async (_, damage) => {
    const { text } = await fixture.create('anna');
    await fixture.create('bert');
    expect(fixture.keys.areRequired()).toBe(true);
    const content = readFileSync(fixture.path, 'utf8');
    writeFileSync(fixture.path, typeof damage === 'string' ? damage : damage(content));
    const start = () => new KeyStore({ home: fixture.home, alwaysRequired: false, clock, logger: silentLogger });
    expect(start).toThrow(/file of keys .* cannot be used/);
    clock.advance(1000);
    expect(fixture.authenticator.findKey(text).key.name).toBe('anna');
    writeFileSync(fixture.path, content);
    expect(start().areRequired()).toBe(true);
  });
});

describe('a running server', () => {
  test('needs no key until there is one, and then follows changes within a second', async () => {
    expect(fixture.keys.areRequired()).toBe(false);
    // Another process, which does not tell the server.
    const other = createKeyEditor(fixture.home, clock);
    const { record } = await other.create({ name: 'anna', scope: 'infer', models: [], weight: 1 });
    clock.advance(1000);
    expect(fixture.keys.areRequired()).toBe(true);
    expect(fixture.keys.find(record.id)).toEqual(record);
    await other.revoke('anna');
    clock.advance(1000);
    expect(fixture.keys.find(record.id)).toBeUndefined();
    expect(fixture.keys.areRequired()).toBe(false);
  });

  test('keeps its keys when the file disappears or becomes unreadable', async () => {
    const { record } = await fixture.create('anna');
    expect(fixture.keys.areRequired()).toBe(true);
    chmodSync(fixture.path, 0o000);
    clock.advance(1000);
    expect(fixture.keys.find(record.id)).toEqual(record);
    rmSync(fixture.path);
    clock.advance(1000);
    expect(fixture.keys.find(record.id)).toEqual(record);
  });

  test('that listens beyond this machine stays closed when the last key is revoked', async () => {
    await fixture.create('anna');
    const keys = new KeyStore({ home: fixture.home, alwaysRequired: true, clock, logger: silentLogger });
    await fixture.editor.revoke('anna');
    clock.advance(1000);
    expect(keys.areRequired()).toBe(true);
  });
});

describe('editing', () => {
  test('a rotated key has another secret and the same rights', async () => {
    const old = await fixture.create('anna', { scope: 'manage', tokensPerDay: 5 });
    const { text, record } = await fixture.editor.rotate('anna');
    expect(record).toMatchObject({ id: old.record.id, scope: 'manage', tokensPerDay: 5 });
    expect(fixture.authenticator.findKey(text).key.name).toBe('anna');
    expect(() => fixture.authenticator.findKey(old.text)).toThrow('the key is not valid');
  });

  test('names are unique, and must exist to be revoked or rotated', async () => {
    await fixture.create('anna');
    await expect(fixture.create('anna')).rejects.toThrow('already a key "anna"');
    await expect(fixture.editor.revoke('bert')).rejects.toMatchObject({ code: 'key_not_found' });
    await expect(fixture.editor.rotate('bert')).rejects.toMatchObject({ code: 'key_not_found' });
  });

  test.each(['', ' x', 'a b', '-x', '../x', 'x'.repeat(65)])('%j is not a name', async (name) => {
    await expect(fixture.create(name)).rejects.toThrow('name of a key must be');
  });
});
