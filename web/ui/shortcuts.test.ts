import { expect, test } from 'vitest';
import { matches } from './shortcuts.ts';

const event = { key: 'O', ctrlKey: true, metaKey: false, shiftKey: true, altKey: false };

test('a shortcut needs exactly its keys', () => {
  const shortcut = { key: 'o', control: true, shift: true };
  expect(matches(shortcut, event)).toBe(true);
  expect(matches(shortcut, { ...event, ctrlKey: false, metaKey: true })).toBe(true);
  expect(matches(shortcut, { ...event, shiftKey: false })).toBe(false);
  expect(matches(shortcut, { ...event, altKey: true })).toBe(false);
  expect(matches({ key: 'o' }, event)).toBe(false);
});
