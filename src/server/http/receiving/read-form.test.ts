import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { readForm } from './read-form.ts';

const form = { maxFileBytes: 200 * 2 ** 20, needs: 'purpose' };

const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n';
const purpose = '\r\n--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n';

const requestOf = (body: AsyncIterable<Uint8Array>, type = 'multipart/form-data; boundary=b'): FastifyRequest =>
  ({ raw: { rawHeaders: ['Content-Type', type] }, body }) as unknown as FastifyRequest;

async function* send(parts: readonly string[], error?: Error): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
  if (error) throw error;
}

const readAll = (body: AsyncIterable<Uint8Array>) =>
  readForm(requestOf(body), form, async ({ filename, chunks, fields }) => {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    return { filename, text: Buffer.concat(parts).toString(), purpose: fields.get('purpose') };
  });

test('fields are known at the end of the file, also those that follow it', async () => {
  const expected = { filename: 'a.jsonl', text: 'content', purpose: 'batch' };
  expect(await readAll(send([head, 'con', 'tent', purpose, '--b--\r\n']))).toEqual(expected);
});

test.each([
  ['in the middle of the file', [head, 'x'.repeat(100_000)]],
  ['after the file', [head, 'content', purpose]],
  ['before it', ['--b\r\n']],
])('a connection that ends %s ends the upload', async (_, parts) => {
  await expect(readAll(send(parts, new Error('gone')))).rejects.toMatchObject({ code: 'bad_request' });
});

test('a file that is refused is read to its end, and the refusal is the answer', async () => {
  const body = send([head, ...Array.from({ length: 50 }, () => 'x'.repeat(50_000)), purpose, '--b--\r\n']);
  const refused = readForm(requestOf(body), form, async () => Promise.reject(new Error('no room')));
  await expect(refused).rejects.toThrow('no room');
});

test.each([
  ['multipart/form-data; boundary=b', '--b--\r\n'],
  ['application/json', '{}'],
  ['multipart/form-data', 'x'],
])('%s without a file is an error', async (type, text) => {
  const read = readForm(requestOf(send([text]), type), form, async () => 'used');
  await expect(read).rejects.toMatchObject({ code: 'bad_request' });
});
