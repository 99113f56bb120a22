import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from './message.ts';
import { truncateHistory } from './truncate-history.ts';

const turn = (role: string, content: string): Message => ({ role, content });
const lengthOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0);
const upTo = (most: number) => async (messages: readonly Message[]) => lengthOf(messages) <= most;

test('what fits stays as it is', async () => {
  const messages = [turn('user', 'aaa'), turn('assistant', 'bbb')];
  expect(await truncateHistory(messages, upTo(6))).toEqual({ messages, dropped: 0 });
});

test('the oldest go first, what the system says stays', async () => {
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

test('the last message stays even if it is too long by itself', async () => {
  const messages = [turn('system', 'S'), turn('user', 'a'), turn('user', 'far too long')];
  const { messages: kept, dropped } = await truncateHistory(messages, upTo(3));
  expect(kept.map(({ content }) => content)).toEqual(['S', 'far too long']);
  expect(dropped).toBe(1);
});

test('no turn goes that could have stayed', async () => {
  const message = fc.record({
    role: fc.constantFrom('system', 'user', 'assistant'),
    content: fc.string({ maxLength: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 12 }), fc.nat(60), async (messages, most) => {
      const { messages: kept, dropped } = await truncateHistory(messages, upTo(most));
      expect(kept.length + dropped).toBe(messages.length);
      expect(kept.at(-1)).toBe(messages.at(-1));
      expect(kept.filter(({ role }) => role === 'system')).toEqual(messages.filter(({ role }) => role === 'system'));
      if (dropped === 0) return;
      // One more turn, the youngest of those that went, would have been too much.
      const others = messages.filter((one) => !kept.includes(one));
      expect(lengthOf([...kept, others.at(-1) as Message])).toBeGreaterThan(most);
    }),
  );
});
