import { expect, test } from 'vitest';
import { groupChats } from './group-chats.ts';

const now = new Date(2026, 5, 15, 10, 0);
const chat = (id: string, ...date: [number, number, number, number]) => ({
  id,
  title: id,
  model: 'ember',
  message_count: 2,
  revision: 1,
  updated_at: new Date(...date).toISOString(),
});

test('conversations are grouped by the day of their last change', () => {
  const chats = [
    chat('morning', 2026, 5, 15, 0),
    chat('evening', 2026, 5, 14, 23),
    chat('week', 2026, 5, 9, 12),
    chat('month', 2026, 4, 20, 12),
    chat('old', 2025, 0, 1, 0),
  ];
  expect(groupChats(chats, now).map(({ label, chats: [first] }) => [label, first?.id])).toEqual([
    ['Today', 'morning'],
    ['Yesterday', 'evening'],
    ['Last 7 days', 'week'],
    ['Last 30 days', 'month'],
    ['Older', 'old'],
  ]);
});

test('a change in the future, by a clock that is wrong, is today', () => {
  expect(groupChats([chat('next', 2026, 5, 20, 0)], now)).toMatchObject([{ label: 'Today' }]);
});

test('pinned conversations come first, then folders by name, then the others', () => {
  const today = [2026, 5, 15, 0] as const;
  const chats = [
    chat('loose', ...today),
    { ...chat('pinned', ...today), pinned: true, folder: 'Work' },
    { ...chat('two', ...today), folder: 'Work' },
    { ...chat('one', ...today), folder: 'Home' },
    { ...chat('three', ...today), folder: 'Work' },
  ];
  expect(groupChats(chats, now).map(({ kind, label, chats: all }) => [kind, label, all.map(({ id }) => id)])).toEqual([
    ['pinned', 'Pinned', ['pinned']],
    ['folder', 'Home', ['one']],
    ['folder', 'Work', ['two', 'three']],
    ['day', 'Today', ['loose']],
  ]);
});
