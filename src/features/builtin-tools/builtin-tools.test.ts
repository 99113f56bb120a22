// The tools against real local HTTP servers. Those of `fetch` are on this machine, which only tests allow.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { BuiltinTools, checkNames } from './builtin-tools.ts';
import { createFetchTool } from './fetch-tool.ts';
import { createSearchTool } from './search-tool.ts';

const { signal } = new AbortController();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers like the route that reads documents. */
const requests = {
  send: async ({ path, body }: { readonly path: string; readonly body?: Buffer }) => ({
    status: 200,
    requestId: '1',
    body: JSON.stringify({ text: `${path} ${String(body)}` }),
  }),
};

const fetchHere = createFetchTool(requests, 'loopback');

test('fetch returns text as it is, and has HTML read as a document', async () => {
  const url = await serve(({ url: path }, response) => {
    response.setHeader('content-type', path === '/page' ? 'text/HTML; charset=utf-8' : 'application/json');
    response.end(path === '/page' ? '<p>Hi' : '{"a": 1}');
  });
  expect(await fetchHere.call({ url: `${url}/data` }, signal)).toBe('{"a": 1}');
  expect(await fetchHere.call({ url: `${url}/page` }, signal)).toBe('/api/documents/text?name=page.html <p>Hi');
});

test('a long text is returned in parts', async () => {
  const text = 'abcdefgh'.repeat(5000);
  const url = await serve((_, response) => response.setHeader('content-type', 'text/plain').end(text));
  const first = await fetchHere.call({ url }, signal);
  expect(first).toBe(`${text.slice(0, 32_768)}\n[7232 more characters; start: 32768]`);
  expect(await fetchHere.call({ url, start: 32_768 }, signal)).toBe(text.slice(32_768));
});

test('fetch reaches no internal address, by name, by number or by a redirect', async () => {
  let asked = 0;
  const inside = await serve((_, response) => {
    asked += 1;
    response.end('secret');
  });
  const { port } = new URL(inside);
  const outside = createFetchTool(requests);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0', '169.254.169.254'])
    await expect(outside.call({ url: `http://${host}:${port}/` }, signal), host).rejects.toThrow('internal address');
  const redirecting = await serve((_, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  });
  await expect(fetchHere.call({ url: redirecting }, signal)).rejects.toThrow('internal address');
  expect(asked).toBe(0);
});

test('fetch refuses what is hostile or has no text', async () => {
  const url = await serve(({ url: path }, response) => {
    if (path === '/large') response.setHeader('content-type', 'text/plain').end('x'.repeat(5 * 2 ** 20));
    else if (path === '/image') response.setHeader('content-type', 'image/png').end('x');
    else if (path === '/packed')
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end('x');
    else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (path === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else response.writeHead(404).end();
  });
  const rows = {
    '/large': 'more than 4 MiB',
    '/image': 'the type "image/png" has no text',
    '/packed': 'compressed',
    '/loop': 'more than 5 redirects',
    '/file': 'only http and https',
    '/none': 'status 404',
  };
  for (const [path, message] of Object.entries(rows))
    await expect(fetchHere.call({ url: url + path }, signal), path).rejects.toThrow(message);
  for (const address of ['file:///etc/passwd', 'nothing', 7, 'http://user:secret@example.com/', undefined])
    await expect(fetchHere.call({ url: address }, signal)).rejects.toMatchObject({ code: 'bad_request' });
});

test('a canceled call ends its request', async () => {
  const controller = new AbortController();
  let isClosed = false;
  const url = await serve((request) => {
    request.on('close', () => {
      isClosed = true;
    });
    controller.abort();
  });
  await expect(fetchHere.call({ url }, controller.signal)).rejects.toThrow('aborted');
  await expect.poll(() => isClosed).toBe(true);
});

test('search asks for JSON, and returns titles, addresses and excerpts', async () => {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    asked.push(String(request.url));
    const results = [
      { title: 'Hearth', url: 'https://hearth.example/', content: 'A\nserver', engine: 'x', score: 1 },
      { title: 7, url: 'https://b.example/' },
    ];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ query: 'q', results }));
  });
  const tool = createSearchTool(`${url}/searx`);
  expect(await tool.call({ query: 'local models & more', page: 2 }, signal)).toBe(
    'Hearth\nhttps://hearth.example/\nA server\n\nhttps://b.example/',
  );
  expect(asked).toEqual(['/searx/search?q=local+models+%26+more&format=json&pageno=2']);
  await expect(tool.call({ query: ' ' }, signal)).rejects.toThrow('query must have');
});

test('a search engine with another format, or that leads elsewhere, is an error', async () => {
  const html = await serve((_, response) => response.end('<html>'));
  await expect(createSearchTool(html).call({ query: 'x' }, signal)).rejects.toThrow('not in the format of SearXNG');
  const moved = await serve((_, response) => response.writeHead(302, { location: '/other' }).end());
  await expect(createSearchTool(moved).call({ query: 'x' }, signal)).rejects.toThrow('redirects');
});

test('a failure is a result for the model, without details of the server', async () => {
  const tool = (error: unknown) => ({ name: 'a', description: '', inputSchema: {}, call: () => Promise.reject(error) });
  const failing = new BuiltinTools(async () => [tool(new Error('/home/secret'))]);
  expect(await failing.call('a', {}, signal)).toEqual({ text: 'the tool has failed', isError: true });
  expect(await failing.call('b', {}, signal)).toEqual({ text: 'there is no tool "b"', isError: true });
  expect(await failing.listTools()).toEqual([{ name: 'a', description: '', parameters: {}, isReadOnly: true }]);
  const aborted = new AbortController();
  aborted.abort();
  await expect(failing.call('a', {}, aborted.signal)).rejects.toThrow('aborted');
});

test('settings name known tools, and a search has an address', () => {
  expect(checkNames(['fetch'], '')).toEqual(['fetch']);
  expect(() => checkNames(['shell'], '')).toThrow('there is no tool "shell"');
  expect(() => checkNames(['search'], '')).toThrow('HEARTH_SEARXNG');
});
