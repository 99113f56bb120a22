import { expect, test } from 'vitest';
import { newDocument, type TreeMessage } from './chat-document.ts';
import { quoteFile, toConversationRequest } from './to-conversation-request.ts';

const document = newDocument({ id: 'c', model: 'ember', now: '' });
const question: TreeMessage = { id: 'q', parent: null, role: 'user', content: 'Why?', created_at: '' };
const answer: TreeMessage = { id: 'a', parent: 'q', role: 'assistant', content: 'Because.', created_at: '' };

test('a conversation without settings', () => {
  expect(toConversationRequest(document, [question, { ...answer, thinking: 'Hm.' }])).toEqual({
    model: 'ember',
    messages: [
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'Because.' },
    ],
    stream: true,
  });
});

test('the system prompt, the options, the format and thinking of the chat', () => {
  const settings = { system: 'Be brief.', options: { temperature: 0 }, format: { type: 'object' }, think: false };
  const body = toConversationRequest({ ...document, ...settings }, [question]);
  expect(body).toMatchObject({ options: { temperature: 0 }, format: { type: 'object' }, think: false });
  expect(body.messages?.[0]).toEqual({ role: 'system', content: 'Be brief.' });
});

test('an answer that failed before its first text is left out', () => {
  const failed = { ...answer, content: '', error: 'no memory' };
  expect(toConversationRequest(document, [question, failed]).messages).toHaveLength(1);
});

test('images and tool calls are sent, files are quoted before the text', () => {
  const calls = [{ function: { index: 0, name: 'f', arguments: {} } }];
  const files = [{ name: 'a.txt', text: 'one' }];
  const path = [
    { ...question, images: ['AAAA'], files },
    { ...answer, content: '', tool_calls: calls },
  ];
  expect(toConversationRequest(document, path).messages).toEqual([
    { role: 'user', content: 'File a.txt:\n```\none\n```\n\nWhy?', images: ['AAAA'] },
    { role: 'assistant', content: '', tool_calls: calls },
  ]);
});

test('the fence of a file is longer than any fence inside', () => {
  expect(quoteFile({ name: 'x.md', text: '````\n```\n````\n' })).toBe('File x.md:\n`````\n````\n```\n````\n`````');
});
