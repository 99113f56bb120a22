import { expect, test } from 'vitest';
import { HearthError } from '../../../base/errors.ts';
import type { RequestScope } from '../../../base/request/request-scope.ts';
import type { CarriedDocument } from '../../services/documents/read-document.ts';
import { readMessageDocuments } from '../anthropic/request/content-blocks.ts';
import { readMessageFiles } from '../openai/chat/message-content.ts';
import { readItemFiles } from '../openai/responses/request/item-content.ts';

const scope: RequestScope = { id: '1', client: 'a', signal: new AbortController().signal };
const plain = Buffer.from('Text.').toString('base64');

/** A document is what it carries. */
function createContext(length = 0) {
  const read: CarriedDocument[] = [];
  const readDocument = async (document: CarriedDocument) => {
    read.push(document);
    if (document.fileId === 'missing') throw new HearthError('file_not_found', 'no file');
    const text = document.fileId ?? Buffer.from(document.base64 ?? '', 'base64').toString();
    return { name: document.name ?? 'document', text: text.padEnd(length, 'x') };
  };
  return { read, context: { readDocument, scope } };
}

test('files of /v1/chat/completions', async () => {
  const { read, context } = createContext();
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;charset=utf-8;base64,${plain}` } },
    { type: 'file', file: { file_data: plain } },
    { type: 'file', file: { file_id: 'file-1', filename: 'b.pdf' } },
  ];
  const body = {
    model: 'm',
    messages: [
      { role: 'system', content: 'x' },
      { role: 'user', content },
    ],
  };
  const { messages } = await readMessageFiles(body, context);
  expect(messages[0]).toBe(body.messages[0]);
  expect(messages[1]?.content).toEqual([
    { type: 'text', text: 'What is it?' },
    { type: 'text', text: 'File a.txt:\n```\nText.\n```' },
    { type: 'text', text: 'File document:\n```\nText.\n```' },
    { type: 'text', text: 'File b.pdf:\n```\nfile-1\n```' },
  ]);
  expect(read[0]).toEqual({ base64: plain, mediaType: 'text/plain', name: 'a.txt' });
});

test('files of /v1/responses, also in results of tools', async () => {
  const { context } = createContext();
  const part = { type: 'input_file', filename: 'a.txt', file_data: plain };
  const text = { type: 'input_text', text: 'File a.txt:\n```\nText.\n```' };
  const items = [
    { type: 'message', id: '1', role: 'user', content: [part] },
    { type: 'function_call_output', id: '2', call_id: 'c', output: [part] },
    { type: 'message', id: '3', role: 'user', content: 'x' },
  ];
  expect(await readItemFiles(items, context)).toEqual([
    { ...items[0], content: [text] },
    { ...items[1], output: [text] },
    items[2],
  ]);
});

test('documents of /v1/messages, also in results of tools', async () => {
  const { read, context } = createContext();
  const source = { type: 'base64', media_type: 'application/pdf', data: plain };
  const blocks = [
    { type: 'document', title: 'Notes', context: 'Old.', source },
    { type: 'document', source: { type: 'file', file_id: 'file-1' } },
    { type: 'document', source: { type: 'text', data: 'Own.' } },
    { type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', source }] },
  ];
  const { messages } = await readMessageDocuments({ messages: [{ role: 'user', content: blocks }] }, context);
  expect(messages[0]?.content).toEqual([
    { type: 'document', title: 'Notes', context: 'Old.', source: { type: 'text', data: 'Text.' } },
    { type: 'document', title: 'document', source: { type: 'text', data: 'file-1' } },
    blocks[2],
    {
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'document', title: 'document', source: { type: 'text', data: 'Text.' } }],
    },
  ]);
  expect(read[0]).toEqual({ base64: plain, mediaType: 'application/pdf', name: 'Notes' });
});

test('without documents, a body stays what it is', async () => {
  const body = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] };
  expect(await readMessageFiles(body, createContext().context)).toBe(body);
  const files = { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] };
  expect(await readMessageFiles(files, { readDocument: undefined, scope })).toBe(files);
});

test.each<readonly [name: string, part: object, reason: string]>([
  ['no file', { type: 'file' }, 'messages.0.content.0.file: expected an object'],
  ['an address', { type: 'file', file: { file_url: 'https://a' } }, 'messages.0.content.0.file: expected file_data'],
  ['an unknown file', { type: 'file', file: { file_id: 'missing' } }, 'no file'],
])('%s is refused', async (_name, part, reason) => {
  const body = { messages: [{ role: 'user', content: [part] }] };
  await expect(readMessageFiles(body, createContext().context)).rejects.toThrow(reason);
});

test('the documents of a request are bounded', async () => {
  const parts = (count: number) => ({
    messages: [{ role: 'user', content: new Array(count).fill({ type: 'file', file: { file_data: plain } }) }],
  });
  await expect(readMessageFiles(parts(65), createContext().context)).rejects.toThrow('a request may have 64 documents');
  const { read, context } = createContext(2 ** 22);
  await expect(readMessageFiles(parts(64), context)).rejects.toThrow('more than 8388608 characters');
  expect(read).toHaveLength(3);
});
