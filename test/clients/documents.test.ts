// Documents through the SDKs of OpenAI and Anthropic, read by a real server.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeDocx, writeParagraph } from '../support/documents/write-docx.ts';
import { writePdf } from '../support/documents/write-pdf.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-documents-'));
let server: TestServer;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  server = await startServer({ store: folder });
  for (const [name, pooling] of [
    ['bert', 'mean'],
    ['ranker', 'rank'],
  ] as const) {
    const path = join(folder, `${name}.gguf`);
    writeBert(path, randomBertWeights(1), pooling);
    await addModel(server.store, name, readFileSync(path));
  }
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pdf = writePdf([['Ferries leave at seven.'], ['Tickets cost four crowns.']]);
const pdfText = '[Page 1]\nFerries leave at seven.\n\n[Page 2]\nTickets cost four crowns.';
const dataUrl = (bytes: Buffer): string => `data:application/pdf;base64,${bytes.toString('base64')}`;
const upload = async (): Promise<string> =>
  (await openai.files.create({ file: await toFile(pdf, 'ferries.pdf'), purpose: 'user_data' })).id;

/** The prompt that the model would get. */
async function promptOf(part: object): Promise<string> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'When?' }, part] }];
  const body = { model: 'ember', messages, _debug_render_only: true } as never;
  const answer = (await openai.chat.completions.create(body)) as unknown as {
    readonly _debug_info: { readonly rendered_template: string };
  };
  return answer._debug_info.rendered_template;
}

test('chat completions have the text of PDF and DOCX files, sent or uploaded, with their names', async () => {
  const expected = `When?\n\nFile ferries.pdf:\n\`\`\`\n${pdfText}\n\`\`\``;
  expect(await promptOf({ type: 'file', file: { filename: 'ferries.pdf', file_data: dataUrl(pdf) } })).toContain(
    expected,
  );
  expect(await promptOf({ type: 'file', file: { file_id: await upload() } })).toContain(expected);
  const docx = writeDocx(writeParagraph('Piers', 'Heading1') + writeParagraph('There are two.'));
  const file = { filename: 'piers.docx', file_data: docx.toString('base64') };
  expect(await promptOf({ type: 'file', file })).toContain('File piers.docx:\n```\n# Piers\n\nThere are two.\n```');
});

test('responses read files, and keep them in what is stored', async () => {
  const ask = (content: object[]) =>
    openai.responses.create({
      model: 'ember',
      input: [{ role: 'user', content: content as never }],
      max_output_tokens: 1,
    });
  const part = { type: 'input_file', filename: 'ferries.pdf', file_data: dataUrl(pdf) };
  const sent = await ask([part]);
  const uploaded = await ask([{ type: 'input_file', file_id: await upload() }]);
  const asText = await ask([{ type: 'input_text', text: `File ferries.pdf:\n\`\`\`\n${pdfText}\n\`\`\`` }]);
  const counts = [sent, uploaded, asText].map(({ usage }) => usage?.input_tokens);
  expect(counts).toEqual([counts[0], counts[0], counts[0]]);
  const { data } = await openai.responses.inputItems.list(sent.id);
  expect(data).toMatchObject([{ content: [part] }]);
  const next = await openai.responses.create({
    model: 'ember',
    previous_response_id: sent.id,
    input: 'And back?',
    max_output_tokens: 1,
  });
  expect(next.usage?.input_tokens).toBeGreaterThan(counts[0] ?? 0);
});

test('messages read documents in base64 and uploaded files, with title and context', async () => {
  const count = async (block: object): Promise<number> =>
    (await anthropic.messages.countTokens({ model: 'ember', messages: [{ role: 'user', content: [block as never] }] }))
      .input_tokens;
  const labels = { type: 'document', title: 'Ferries', context: 'From the harbor.' };
  const data = pdf.toString('base64');
  const asText = await count({ ...labels, source: { type: 'text', media_type: 'text/plain', data: pdfText } });
  expect(await count({ ...labels, source: { type: 'base64', media_type: 'application/pdf', data } })).toBe(asText);
  const { id } = await anthropic.beta.files.upload({ file: await toFile(pdf, 'ferries.pdf') });
  expect(await count({ ...labels, source: { type: 'file', file_id: id } })).toBe(asText);
  const answer = await anthropic.messages.create({
    model: 'ember',
    max_tokens: 1,
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }],
      },
    ],
  });
  expect(answer.usage.input_tokens).toBeGreaterThan(20);
});

test('a document that cannot be read is an error of the request', async () => {
  const bad = Buffer.from('%PDF-1.7 and nothing else').toString('base64');
  const reason = 'the document "bad.pdf" cannot be read: it is no valid PDF file';
  const expected = { status: 400, message: expect.stringContaining(reason) };
  const part = { filename: 'bad.pdf', file_data: bad };
  await expect(promptOf({ type: 'file', file: part })).rejects.toMatchObject(expected);
  const responses = openai.responses.create({
    model: 'ember',
    input: [{ role: 'user', content: [{ type: 'input_file', ...part }] }],
  });
  await expect(responses).rejects.toMatchObject(expected);
  const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: bad };
  const messages = anthropic.messages.create({
    model: 'ember',
    max_tokens: 1,
    messages: [{ role: 'user', content: [{ type: 'document', title: 'bad.pdf', source }] }],
  });
  await expect(messages).rejects.toMatchObject({ status: 400 });
  const missing = promptOf({ type: 'file', file: { file_id: 'file-0123456789abcdef01234567' } });
  await expect(missing).rejects.toMatchObject({ status: 404 });
});

interface Found {
  readonly results: readonly { readonly text: string; readonly file_name: string; readonly page?: number }[];
}

async function send<Body>(method: string, path: string, body?: object | Buffer): Promise<Body> {
  const response = await fetch(`${server.url}/api/collections${path}`, {
    method,
    body: body === undefined ? undefined : Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
  });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  const text = await response.text();
  return (text === '' ? {} : JSON.parse(text)) as Body;
}

test('collections find passages by words at once, and by vectors when they are computed', async () => {
  const { id } = await send<{ id: string }>('POST', '', { name: 'Harbor', model: 'bert', reranker: 'ranker' });
  const file = await send<{ id: string }>('POST', `/${id}/files?name=ferries.pdf`, pdf);
  await send('POST', `/${id}/files?name=piers.md`, Buffer.from('There are two piers.'));
  const search = (query: string) => send<Found>('POST', `/${id}/search`, { query, limit: 1 });
  await expect
    .poll(() => send<{ collection: object }>('GET', `/${id}`))
    .toMatchObject({ collection: { files: 2, passages: 3, embedded: 3 } });
  expect((await search('tickets')).results).toMatchObject([{ text: expect.any(String) }]);
  const plain = await send<{ id: string }>('POST', '', { name: 'Words' });
  await send('POST', `/${plain.id}/files?name=ferries.pdf`, pdf);
  const found = await send<Found>('POST', `/${plain.id}/search`, { query: 'What do TICKETS cost?' });
  expect(found.results).toMatchObject([{ text: 'Tickets cost four crowns.', file_name: 'ferries.pdf', page: 2 }]);
  await send('DELETE', `/${id}/files/${file.id}`);
  expect(await send('GET', `/${id}`)).toMatchObject({ collection: { files: 1, passages: 1 } });
  await send('DELETE', `/${id}`);
  await expect(search('tickets')).rejects.toMatchObject({ status: 404 });
  await expect(send('POST', '', { name: 'x', model: 'missing' })).rejects.toMatchObject({ status: 400 });
});
