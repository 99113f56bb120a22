// Speech through the SDK of OpenAI, with a real server. The model has random weights: the text is arbitrary, all else is not.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { randomWhisper, toneWav } from '../support/speech/random-whisper.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-speech-client-'));
let server: TestServer;
let openai: OpenAI;
beforeAll(async () => {
  server = await startServer();
  const from = join(folder, 'model.bin');
  writeFileSync(from, randomWhisper());
  await post(server.url, '/api/create', { model: 'listener', from, stream: false });
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const model = 'listener';
const ask = async () => ({ model, file: await toFile(toneWav(2), 'speech.wav'), temperature: 1 });

test('a transcript as JSON', async () => {
  const transcript = await openai.audio.transcriptions.create({ ...(await ask()), language: 'en' });
  expect(transcript).toEqual({ text: expect.any(String), usage: { type: 'duration', seconds: 2 } });
});

test('a transcript with segments and words', async () => {
  const { task, language, duration, text, segments, words } = (await openai.audio.transcriptions.create({
    ...(await ask()),
    language: 'en',
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  })) as OpenAI.Audio.TranscriptionVerbose & { readonly task: string };
  expect({ task, language, duration }).toEqual({ task: 'transcribe', language: 'english', duration: 2 });
  const joined = segments?.map((segment) => segment.text).join('');
  expect(joined?.trim()).toBe(text);
  for (const { start, end } of [...(segments ?? []), ...(words ?? [])]) {
    expect(start).toBeLessThanOrEqual(end);
    expect(end).toBeLessThanOrEqual(2);
  }
  expect(Array.isArray(words)).toBe(true);
});

test('subtitles', async () => {
  const srt = await openai.audio.transcriptions.create({ ...(await ask()), language: 'en', response_format: 'srt' });
  expect(srt).toMatch(/^(?:1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n|$)/);
});

test('a stream', async () => {
  const stream = await openai.audio.transcriptions.create({ ...(await ask()), language: 'en', stream: true });
  const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const last = events.pop();
  const deltas = events.map((event) => (event.type === 'transcript.text.delta' ? event.delta : undefined));
  expect(deltas).not.toContain(undefined);
  expect(last).toMatchObject({ type: 'transcript.text.done', text: deltas.join('').trim() });
});

test('a translation', async () => {
  expect(await openai.audio.translations.create(await ask())).toMatchObject({ text: expect.any(String) });
  const verbose = await openai.audio.translations.create({ ...(await ask()), response_format: 'verbose_json' });
  expect(verbose).toMatchObject({ task: 'translate', duration: 2 });
});

test('a file that is no audio is an error of the SDK', async () => {
  const file = await toFile(Buffer.from('hello'), 'speech.wav');
  await expect(openai.audio.transcriptions.create({ model, file })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('neither WAV'),
  });
});
