import { expect, test } from 'vitest';
import { PageSettingsStore } from './page-settings.ts';

function createStorage(json?: string) {
  const entries = new Map<string, string>(json === undefined ? [] : [['hearth.settings', json]]);
  return {
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
  };
}

test('a change is kept for the next visit', () => {
  const storage = createStorage();
  const settings = new PageSettingsStore(storage);
  settings.change({ theme: 'dark', system: 'Be brief.' });
  expect(new PageSettingsStore(storage).current.value).toMatchObject({ theme: 'dark', system: 'Be brief.' });
  expect(settings.current.value.showsStatistics).toBe(true);
});

test.each(['{', 'null', '[]', '"dark"', '{"system":5,"unknown":"x"}'])('%s is ignored', (json) => {
  const { current } = new PageSettingsStore(createStorage(json));
  expect(current.value).toEqual(new PageSettingsStore(createStorage()).current.value);
});
