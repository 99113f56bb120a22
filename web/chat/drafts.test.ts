import { expect, test } from 'vitest';
import { Drafts } from './drafts.ts';

function createStorage() {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
    removeItem: (name: string) => void entries.delete(name),
  };
}

test('each conversation has its draft, which another visit finds again', () => {
  const storage = createStorage();
  const drafts = new Drafts(storage);
  drafts.of('').text.value = 'new';
  drafts.of('a').text.value = 'one';
  drafts.of('a').text.value = 'one more';
  expect(drafts.of('b').text.value).toBe('');
  const later = new Drafts(storage);
  expect([later.of('').text.value, later.of('a').text.value]).toEqual(['new', 'one more']);
  later.of('a').text.value = '';
  expect(new Drafts(storage).of('a').text.value).toBe('');
  later.clear();
  expect(new Drafts(storage).of('').text.value).toBe('');
});

test.each(['{', '{}', '"text"'])('what another program has stored is ignored: %s', (json) => {
  const storage = createStorage();
  storage.setItem('hearth.drafts', json);
  expect(new Drafts(storage).of('').text.value).toBe('');
});

test('a full storage loses nothing while the page is open', () => {
  const storage = createStorage();
  const full = () => {
    throw new Error('QuotaExceededError');
  };
  const drafts = new Drafts({ ...storage, setItem: full });
  drafts.of('a').text.value = 'kept';
  expect(drafts.of('a').text.value).toBe('kept');
});
