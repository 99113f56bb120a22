import { expect, test } from 'vitest';
import { describeImport, fromStored } from './server-storage.ts';

const facts = { id: 'chat-0001', created_at: 'c', updated_at: 'u', revision: 3 };

test('what is optional has a default, and the last message is shown', () => {
  const stored = { ...facts, title: 'Fruit', messages: [{ id: 'a', role: 'user' as const }] };
  expect(fromStored(stored)).toEqual({
    ...facts,
    title: 'Fruit',
    model: '',
    system: '',
    options: {},
    format: null,
    messages: [{ id: 'a', role: 'user', parent: null, content: '', created_at: 'c' }],
    leaf: 'a',
  });
});

test('the branch that was shown is shown again, and other fields are kept', () => {
  const message = (id: string) => ({ id, role: 'user' as const, content: id, parent: null, created_at: 'm' });
  const stored = { ...facts, messages: [message('a'), message('b')], leaf: 'a', color: 'red' };
  expect(fromStored(stored)).toMatchObject({ leaf: 'a', color: 'red' });
});

test('a conversation without messages has no branch', () => {
  expect(fromStored(facts).leaf).toBeUndefined();
});

test('the link that shares a conversation is not part of the document', () => {
  expect(fromStored({ ...facts, shared_link: 'a' })).not.toHaveProperty('shared_link');
});

test('what an import did is one sentence', () => {
  expect(describeImport({ imported: 3, existing: 0, failed: 0 })).toBe('3 chats imported.');
  expect(describeImport({ imported: 0, existing: 0, failed: 0 })).toBe('The file has no chats.');
  expect(describeImport({ imported: 0, existing: 2, failed: 1 })).toBe(
    '0 chats imported. 2 existed already. One could not be read.',
  );
});
