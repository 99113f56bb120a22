// The files of collections: who gets them, and what a browser may do with them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { writePdf } from '../support/documents/write-pdf.ts';
import { startServer, type TestServer } from '../support/server.ts';

const pdf = writePdf([['Ferries leave at seven.']]);
let server: TestServer;
let anna: string;
let ben: string;
beforeAll(async () => {
  server = await startServer();
  const admin = await createKey('admin', { scope: 'admin' });
  anna = await createKey('anna', { scope: 'infer' }, admin);
  ben = await createKey('ben', { scope: 'infer' }, admin);
});
afterAll(() => server.stop());

const send = (path: string, key: string, init: RequestInit = {}): Promise<Response> =>
  fetch(server.url + path, { ...init, headers: key === '' ? {} : { authorization: `Bearer ${key}` } });

async function createKey(name: string, fields: object, key = ''): Promise<string> {
  const response = await send('/api/keys', key, { method: 'POST', body: JSON.stringify({ name, ...fields }) });
  return ((await response.json()) as { readonly key: string }).key;
}

async function addFile(name: string, bytes: Buffer): Promise<{ readonly file: string; readonly original: boolean }> {
  const body = JSON.stringify({ name: 'Ferries' });
  const { id } = (await (await send('/api/collections', anna, { method: 'POST', body })).json()) as { id: string };
  const path = `/api/collections/${id}/files`;
  const sent = await send(`${path}?name=${name}`, anna, { method: 'POST', body: new Uint8Array(bytes) });
  const added = (await sent.json()) as { readonly id: string; readonly original: boolean };
  return { file: `${path}/${added.id}`, original: added.original };
}

test('a PDF file comes back as it was sent, as a download that runs nothing', async () => {
  const { file, original } = await addFile('ferries.pdf', pdf);
  expect(original).toBe(true);
  const response = await send(`${file}/content`, anna);
  expect(Buffer.from(await response.arrayBuffer()).equals(pdf)).toBe(true);
  const { headers } = response;
  expect(headers.get('content-type')).toBe('application/pdf');
  expect(headers.get('content-disposition')).toMatch(/^attachment;/);
  expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toContain('no-store');
});

test('only those who may read the collection get its files', async () => {
  const { file } = await addFile('ferries.pdf', pdf);
  expect((await send(`${file}/content`, '')).status).toBe(401);
  expect((await send(`${file}/content`, ben)).status).toBe(404);
});

test('other files are kept as their text, and a file that was removed is gone', async () => {
  const text = await addFile('ferries.md', Buffer.from('Boats leave at seven.'));
  expect(text.original).toBe(false);
  expect((await send(`${text.file}/content`, anna)).status).toBe(404);
  const { file } = await addFile('ferries.pdf', pdf);
  await send(file, anna, { method: 'DELETE' });
  expect((await send(`${file}/content`, anna)).status).toBe(404);
});
