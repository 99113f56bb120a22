// Work on conversations is linear in their size. Each size here takes seconds if it is quadratic.

import { expect, test, vi } from 'vitest';
import { growthOf, maxLinearGrowth } from '../../../test/support/growth.ts';
import { withCallIds } from './jinja/call-ids.ts';
import { collate, type Message, tagImages } from './message.ts';
import { createLiteralMatcher } from './tool-calls/literal-matcher.ts';

vi.setConfig({ testTimeout: 120_000 });

const numbered = <Item>(length: number, make: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => make(index));

const call = (name: string, id?: string) => ({ ...(id ? { id } : {}), type: 'function', function: { name } });

test('collate: messages of one role, with calls', () => {
  const make = (size: number): Message[] =>
    numbered(size, (index) => ({
      role: 'assistant',
      content: `text ${index}`,
      toolCalls: [{ name: 'f', arguments: {} }],
    }));
  expect(growthOf({ make, work: collate, size: 5_000 })).toBeLessThan(maxLinearGrowth);
});

test.each<[string, (index: number) => Record<string, unknown>]>([
  ['by id', (index) => ({ tool_call_id: `id${index}` })],
  ['by id, the last call first', (index) => ({ tool_call_id: `id${-index}` })],
  ['by name', () => ({ name: 'g' })],
  ['by position', () => ({})],
])('withCallIds: results %s', (_, result) => {
  const make = (size: number): Record<string, unknown>[] => [
    { role: 'assistant', tool_calls: numbered(size, (index) => call(index % 2 ? 'f' : 'g', `id${index}`)) },
    ...numbered(size, (index) => ({ role: 'tool', content: 'x', ...result(index) })),
  ];
  expect(growthOf({ make, work: (messages) => withCallIds(messages, ''), size: 2_500 })).toBeLessThan(maxLinearGrowth);
});

test('tagImages: placeholders of one message', () => {
  const image = Buffer.alloc(0);
  const make = (size: number): Message[] => [
    { role: 'user', content: 'a [img] b'.repeat(size), images: new Array(size).fill(image) },
  ];
  expect(growthOf({ make, work: tagImages, size: 2_500 })).toBeLessThan(maxLinearGrowth);
});

test('literal matcher: names with the same first letter', () => {
  const make = (size: number): string[] => numbered(size, (index) => `tool${index}`);
  expect(growthOf({ make, work: createLiteralMatcher, size: 5_000 })).toBeLessThan(maxLinearGrowth);
});
