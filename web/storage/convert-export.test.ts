import { expect, test } from 'vitest';
import { convertExport } from './convert-export.ts';

const part = (role: string, text: string, more: object = {}) => ({
  author: { role },
  content: { content_type: 'text', parts: [text] },
  create_time: 1_700_000_000,
  ...more,
});

const fromChatGpt = {
  title: 'Apples',
  create_time: 1_700_000_000.5,
  update_time: 1_700_000_100,
  current_node: 'a2',
  mapping: {
    // Children before their parents, an empty root, a system message in between.
    a1: { parent: 'q', message: part('assistant', 'On trees.', { metadata: { model_slug: 'gpt-4o' } }) },
    a2: { parent: 'q', message: part('assistant', 'In orchards.') },
    q: { parent: 'system', message: part('user', 'Where do apples grow?') },
    system: { parent: 'root', message: part('system', 'hidden') },
    root: { parent: null, message: null },
    tool: { parent: 'a2', message: part('tool', 'ignored') },
  },
};

test('a conversation of ChatGPT: its tree, without messages that are not shown', () => {
  const [chat] = convertExport([fromChatGpt]) ?? [];
  const [question, first, second] = chat?.messages ?? [];
  expect(chat).toMatchObject({ title: 'Apples', leaf: second?.id, created_at: '2023-11-14T22:13:20.500Z' });
  expect(chat?.messages).toHaveLength(3);
  expect(question).toMatchObject({ role: 'user', parent: null, content: 'Where do apples grow?' });
  expect(first).toMatchObject({ role: 'assistant', parent: question?.id, content: 'On trees.', model: 'gpt-4o' });
  expect(second).toMatchObject({ parent: question?.id, content: 'In orchards.' });
});

test('a chat of Open WebUI', () => {
  const messages = {
    u: { id: 'u', parentId: null, role: 'user', content: 'Hi', timestamp: 1_700_000_000 },
    a: { id: 'a', parentId: 'u', role: 'assistant', content: 'Hello', model: 'qwen:7b' },
  };
  const [chat] = convertExport([{ id: 'x', title: 'Greeting', chat: { history: { messages, currentId: 'a' } } }]) ?? [];
  expect(chat).toMatchObject({
    title: 'Greeting',
    messages: [
      { content: 'Hi', parent: null },
      { content: 'Hello', model: 'qwen:7b' },
    ],
  });
  expect(chat?.leaf).toBe(chat?.messages[1]?.id);
});

test('an own export and other files are left to the server', () => {
  for (const value of [{ version: 1, chats: [] }, [], [{ id: 'a', messages: [] }], 'text', null, 5])
    expect(convertExport(value)).toBeUndefined();
});

test('what is missing, wrong or cyclic ends in time, and leaves a chat without it', () => {
  const cycle = { a: { parent: 'b', message: part('user', 'A') }, b: { parent: 'a', message: part('user', 'B') } };
  const broken = { c: 5, d: null, e: { parent: 'nothing', message: part('user', 'E') } };
  const [chat, empty] =
    convertExport([{ mapping: { ...cycle, ...broken } }, { mapping: {}, create_time: 1e300 }]) ?? [];
  expect(chat?.messages.map(({ content }) => content)).toEqual(['E']);
  expect(empty).toMatchObject({ title: 'Imported chat', messages: [], created_at: undefined });
});
