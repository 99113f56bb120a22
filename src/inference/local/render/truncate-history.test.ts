import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../../formats/chat/message.ts';
import { truncateHistory } from './render-conversation.ts';

const turn = (role: string, content: string): Message => ({ role, content });
const lengthOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0);
const upTo = (max: number) => async (messages: readonly Message[]) => lengthOf(messages) <= max;

test('a conversation that fits is not changed', async () => {
  const messages = [turn('user', 'aaa'), turn('assistant', 'bbb')];
  expect(await truncateHistory(messages, upTo(6))).toEqual({ messages, dropped: 0 });
});

test('drops the oldest messages and keeps system messages', async () => {
  const messages = [
    turn('user', 'old'),
    turn('system', 'S'),
    turn('assistant', 'answer'),
    turn('user', 'new'),
    turn('assistant', 'yes'),
    turn('user', 'last'),
  ];
  const { messages: kept, dropped } = await truncateHistory(messages, upTo(11));
  expect(kept.map(({ content }) => content)).toEqual(['S', 'new', 'yes', 'last']);
  expect(dropped).toBe(2);
});

test('keeps the last message even if it is too long', async () => {
  const messages = [turn('system', 'S'), turn('user', 'a'), turn('user', 'far too long')];
  const { messages: kept, dropped } = await truncateHistory(messages, upTo(3));
  expect(kept.map(({ content }) => content)).toEqual(['S', 'far too long']);
  expect(dropped).toBe(1);
});

test('drops as few messages as possible', async () => {
  const message = fc.record({
    role: fc.constantFrom('system', 'user', 'assistant'),
    content: fc.string({ maxLength: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 12 }), fc.nat(60), async (messages, max) => {
      const { messages: kept, dropped } = await truncateHistory(messages, upTo(max));
      expect(kept.length + dropped).toBe(messages.length);
      expect(kept.at(-1)).toBe(messages.at(-1));
      expect(kept.filter(({ role }) => role === 'system')).toEqual(messages.filter(({ role }) => role === 'system'));
      if (dropped === 0) return;
      // With the newest dropped message it would not fit.
      const others = messages.filter((message) => !kept.includes(message));
      expect(lengthOf([...kept, others.at(-1) as Message])).toBeGreaterThan(max);
    }),
  );
});
