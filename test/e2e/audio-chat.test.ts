// Recordings in chats, through the real endpoints. The model has random weights: its words depend on what it hears.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chat, post, postChat } from '../support/client.ts';
import { writeTinyAudio } from '../support/models/tiny-audio.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { toneWav } from '../support/speech/random-whisper.ts';
import { silentFlac, toneFlac } from '../support/speech/write-flac.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-audio-chat-'));
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const { weightsPath, projectorPath } = writeTinyAudio(folder);
  const template = '{{ range .Messages }}{{ .Content }}{{ end }}';
  const modelfile = `FROM ${weightsPath}\nFROM ${projectorPath}\nTEMPLATE """${template}"""\nPARAMETER num_ctx 1024\n`;
  const created = await post(server.url, '/api/create', { model: 'hears', modelfile, stream: false });
  expect(created.objects.at(-1)).toEqual({ status: 'success' });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const options = { temperature: 0, num_predict: 12 };
const tone = toneWav(2).toString('base64');
const silence = (seconds: number): Buffer => silentFlac(seconds, { saysLength: true });
const asked = (fields: object) => ({ model: 'hears', options, messages: [{ role: 'user', content: 'Hi', ...fields }] });
const hear = async (fields: object): Promise<string> =>
  (await chat(server.url, asked(fields))).message?.content as string;

async function complete(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const init = { method: 'POST', body: JSON.stringify({ model: 'hears', temperature: 0, ...body }) };
  const response = await fetch(`${server.url}/v1/${path}`, init);
  return { status: response.status, body: await response.json() };
}
const part = (data: string, format = 'wav') => ({ type: 'input_audio', input_audio: { data, format } });
const spoken = (...parts: readonly object[]) => ({
  max_tokens: 12,
  messages: [{ role: 'user', content: [...parts, { type: 'text', text: 'Hi' }] }],
});

test('the model has the capability audio, and no vision', async () => {
  const [shown] = (await post<{ capabilities: string[] }>(server.url, '/api/show', { model: 'hears' })).objects;
  expect(shown?.capabilities).toEqual(['completion', 'audio']);
});

test('a recording is heard in every dialect', async () => {
  const text = await hear({ audio: [tone] });
  expect(text).not.toBe(await hear({}));
  expect(text).not.toBe(await hear({ audio: [silence(2).toString('base64')] }));
  expect(await hear({ images: [tone] })).toBe(text);
  expect(await hear({ audio: [toneFlac(2).toString('base64')] })).toBe(text);
  const completed = await complete('chat/completions', spoken(part(tone)));
  expect(completed.body).toMatchObject({ choices: [{ message: { content: text } }] });
  const input = [{ role: 'user', content: [part(tone), { type: 'input_text', text: 'Hi' }] }];
  const response = await complete('responses', { input, max_output_tokens: 16 });
  expect(JSON.stringify(response.body)).toContain(JSON.stringify(text).slice(1, -1));
});

test.each<readonly [name: string, fields: object, message: string]>([
  ['what is no audio', { audio: [Buffer.from('hello').toString('base64')] }, 'neither WAV, MP3, FLAC nor Ogg Vorbis'],
  ['a recording that is too long', { audio: [silence(3600).toString('base64')] }, 'recording 1: the audio is longer'],
  ['a recording without samples', { audio: [toneWav(0).toString('base64')] }, 'recording 1: '],
])('%s is refused', async (_name, fields, message) => {
  const { status, objects } = await postChat(server.url, asked(fields));
  expect([status, objects[0]?.error]).toEqual([400, expect.stringContaining(message)]);
});

test('other models refuse recordings, and this one refuses images', async () => {
  const { status, objects } = await postChat(server.url, { ...asked({ audio: [tone] }), model: 'ember' });
  expect([status, objects[0]?.error]).toEqual([400, '"ember" does not support audio']);
  const eyes = await complete('chat/completions', { ...spoken(part(tone)), model: 'ember-eyes' });
  expect(eyes).toMatchObject({ status: 400, body: { error: { message: '"ember-eyes" does not support audio' } } });
  const image = { images: ['iVBORw0KGgo='] };
  const refused = await postChat(server.url, asked(image));
  expect([refused.status, refused.objects[0]?.error]).toEqual([400, '"hears" does not support images']);
  const wrong = await complete('chat/completions', spoken({ type: 'input_audio', input_audio: {} }));
  expect(wrong).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('input_audio.data') } },
  });
});
