import { expect, test } from 'vitest';
import type { SharedChatBody } from '../../src/features/chats/sharing-schema.ts';
import { pathTo } from '../conversation/message-tree.ts';
import { copyShared } from './copy-shared.ts';

const shared: SharedChatBody = {
  title: 'Apples',
  author: 'anna',
  updated_at: '2026-01-01T00:00:00Z',
  messages: [
    { role: 'user', content: 'Where?', images: ['aGk='], files: [{ name: 'a.txt', text: 'x' }] },
    {
      ...{ role: 'assistant', content: 'On trees.', model: 'ember:latest' },
      mcp_calls: [{ at: 0, server: 'files', tool: 'read' }],
    },
    { role: 'user', content: 'Why?' },
  ],
};
const options = { now: '2026-02-02T00:00:00Z', model: 'other' };

test('a copy has all messages as one branch, with new ids, and can be continued by the same model', () => {
  const copy = copyShared(shared, options);
  expect(copy).toMatchObject({ title: 'Apples (copy)', model: 'ember:latest', revision: 0, updated_at: options.now });
  const path = pathTo(copy.messages, copy.leaf);
  expect(path).toMatchObject([
    { parent: null, role: 'user', content: 'Where?', images: ['aGk='], files: [{ name: 'a.txt', text: 'x' }] },
    { role: 'assistant', content: 'On trees.', model: 'ember:latest' },
    { role: 'user', content: 'Why?' },
  ]);
  expect(path[1]).not.toHaveProperty('mcp_calls');
  expect(new Set([copy.id, ...path.map(({ id }) => id)]).size).toBe(4);
  expect(copyShared(shared, options).id).not.toBe(copy.id);
});

test('without messages of a model, the copy has the given one', () => {
  expect(copyShared({ ...shared, messages: [] }, options)).toMatchObject({ model: 'other', messages: [] });
});
