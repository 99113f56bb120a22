// Documents through the SDKs of OpenAI and Anthropic, read by a real server.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeDocx, writeParagraph } from '../support/documents/write-docx.ts';
import { writePdf } from '../support/documents/write-pdf.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-documents-'));
let server: TestServer;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  server = await startServer({ store: folder });
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
