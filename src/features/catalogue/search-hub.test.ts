import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { createSearchHub } from './search-hub.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Answers as Hugging Face does. */
async function search(listener: RequestListener, signal = new AbortController().signal) {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const proxy = { https: '', http: '', except: '' };
  return createSearchHub({ endpoint, version: '0', proxy, clock: systemClock })('small llama', signal);
}

const answer =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test('models have a name for a pull, an estimated size and a license', async () => {
  const asked: string[] = [];
  const found = await search((request, response) => {
    asked.push(request.url ?? '');
    const model = {
      _id: '1',
      id: 'ada/Small-Llama-GGUF',
      downloads: 12_345,
      tags: ['gguf', 'license:apache-2.0', 'conversational'],
      gated: false,
      gguf: { total: 1_000_000_000, architecture: 'llama', context_length: 8192 },
    };
    answer([model])(request, response);
  });
  expect(found).toEqual([
    {
      name: 'hf.co/ada/Small-Llama-GGUF',
      title: 'ada/Small-Llama-GGUF',
      license: 'apache-2.0',
      contextLength: 8192,
      capabilities: [],
      purpose: '12,345 downloads',
      sizes: [{ name: 'hf.co/ada/Small-Llama-GGUF', bytes: 600_000_000 }],
    },
  ]);
  expect(asked[0]).toContain('/api/models?search=small+llama&filter=gguf');
});

test('what is no model, and what needs an account, is left out', async () => {
  const entries = [
    null,
    7,
    { id: '../../etc/passwd' },
    { id: 'a/b\u001b[31m' },
    { id: 'ada/gated', gated: 'manual' },
    { id: 'ada/plain', gguf: { total: 'many', context_length: -1 }, tags: { length: 9 }, downloads: 1e300 },
  ];
  const found = await search(answer(entries));
  expect(found).toEqual([expect.objectContaining({ name: 'hf.co/ada/plain', sizes: [], license: '', purpose: '' })]);
});

test('more models than were asked for are ignored', async () => {
  const found = await search(answer(Array.from({ length: 1000 }, (_, index) => ({ id: `ada/model-${index}` }))));
  expect(found).toHaveLength(20);
});

test.each([
  ['a status', answer({ error: 'no' }, 503), 'answers with status 503'],
  ['no list', answer({}), 'did not send a list of models'],
  ['no JSON', ((_, response) => response.end('<html>')) as RequestListener, 'did not send a list of models'],
  ['too much', ((_, response) => response.end(Buffer.alloc(5 * 2 ** 20))) as RequestListener, 'of more than'],
  ['nothing', ((request) => request.socket.destroy()) as RequestListener, 'connection closed'],
])('%s is an error in words', async (_, listener, message) => {
  await expect(search(listener)).rejects.toThrow(message);
});

test('a caller that leaves ends the search', async () => {
  const controller = new AbortController();
  const searching = search(() => controller.abort(), controller.signal);
  await expect(searching).rejects.toThrow();
});

test('an answer that would hold the thread is not parsed', async () => {
  const nested: RequestListener = (_request, response) => response.end('['.repeat(2 ** 21));
  await expect(search(nested)).rejects.toThrow('did not send a list of models');
  const many = answer(Array(100_000).fill({}));
  await expect(search(many)).rejects.toThrow('did not send a list of models');
});
