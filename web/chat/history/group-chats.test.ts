import { expect, test } from 'vitest';
import { groupByDay } from './group-by-day.ts';

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
  expect(groupByDay(chats, now).map(({ label, chats: [first] }) => [label, first?.id])).toEqual([
    ['Today', 'morning'],
    ['Yesterday', 'evening'],
    ['Last 7 days', 'week'],
    ['Last 30 days', 'month'],
    ['Older', 'old'],
  ]);
});

test('a change in the future, by a clock that is wrong, is today', () => {
  expect(groupByDay([chat('next', 2026, 5, 20, 0)], now)).toMatchObject([{ label: 'Today' }]);
});
