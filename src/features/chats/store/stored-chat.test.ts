import { describe, expect, test } from 'vitest';
import { checkChatId, checkContent, type StoredMessage } from './stored-chat.ts';

describe('an id', () => {
  test.each(['12345678', 'a2c4e6f8-0000-4000-8000-000000000000', 'a_______', 'x'.repeat(64)])('can be %s', (id) => {
    expect(checkChatId(id)).toBe(id);
  });

  test.each([
    '',
    'short',
    'ABCDEFGH',
    '-1234567',
    '../../../etc',
    'a/b/c/d/e',
    '1234567.',
    'x'.repeat(65),
    '12345678\n',
  ])('cannot be %j', (id) => {
    expect(() => checkChatId(id)).toThrow('the id of a conversation must have');
  });
});

describe('messages', () => {
  const check = (...messages: StoredMessage[]) => checkContent({ messages });

  test('can have several first messages and several answers', () => {
    check({ id: 'a' }, { id: 'b', parent: 'a' }, { id: 'c', parent: 'a' }, { id: 'd', parent: null });
    checkContent({});
  });

  test('have different ids', () => {
    expect(() => check({ id: 'a' }, { id: 'a' })).toThrow('messages[1].id');
  });

  test('come after their parents, so that there are no cycles', () => {
    expect(() => check({ id: 'a', parent: 'b' }, { id: 'b' })).toThrow('messages[0].parent');
    expect(() => check({ id: 'a', parent: 'a' })).toThrow('messages[0].parent');
    expect(() => check({ id: 'a', parent: 'missing' })).toThrow('messages[0].parent');
  });
});

test('values are not nested too deeply, however deep they are', () => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  const contentWith = (depth: number) => ({ title: 'x', format: nested(depth) });
  checkContent(contentWith(63));
  for (const depth of [64, 100_000]) expect(() => checkContent(contentWith(depth))).toThrow('at most 64');
});
