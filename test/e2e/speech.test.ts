// Speech models through the real endpoints. The model has random weights: the text is arbitrary, all else is not.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, postChat } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { randomWhisper, toneWav } from '../support/speech/random-whisper.ts';
import { toneMp3, toneMp3Seconds } from '../support/speech/tone-mp3.ts';
import { silentFlac, toneFlac } from '../support/speech/write-flac.ts';

let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), 'hearth-speech-'));

beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_AUDIO_SIZE: '2MiB', HEARTH_AUDIO_TIME: '40s' } });
  const file = join(folder, 'model.bin');
  writeFileSync(file, randomWhisper());
  const created = await fetch(`${server.url}/api/create`, {
    method: 'POST',
    body: JSON.stringify({ model: 'listener', from: file, stream: false }),
  });
  expect(await created.json()).toEqual({ status: 'success' });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const stereo = { rate: 44_100, channels: 2 };

interface Sent {
  readonly audio?: Buffer;
  readonly path?: string;
  readonly signal?: AbortSignal;
  readonly [field: string]: unknown;
}

function send({ audio = toneWav(2), path = 'transcriptions', signal, ...fields }: Sent = {}): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'listener', language: 'en', temperature: 1, ...fields }))
    form.append(name, String(value));
  form.append('file', new Blob([audio]), 'speech.wav');
  return fetch(`${server.url}/v1/audio/${path}`, { method: 'POST', body: form, ...(signal ? { signal } : {}) });
}

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { message: string; code: string } };
  return { status: response.status, code: error.code, message: error.message };
};

test('a file of whisper.cpp becomes a model that transcribes, and nothing else', async () => {
  interface Shown {
    readonly capabilities: readonly string[];
    readonly details: object;
  }
  const [shown] = (await post<Shown>(server.url, '/api/show', { model: 'listener' })).objects;
  expect(shown?.capabilities).toEqual(['transcription']);
  expect(shown?.details).toMatchObject({ format: 'ggml', family: 'whisper', quantization_level: 'F16' });
  const message = expect.stringContaining('/v1/audio/transcriptions');
  const messages = [{ role: 'user', content: 'Hello' }];
  const chatted = await postChat(server.url, { model: 'listener', messages });
  expect([chatted.status, chatted.text]).toEqual([400, message]);
  const embedded = await fetch(`${server.url}/v1/embeddings`, {
    method: 'POST',
    body: '{"model":"listener","input":"a"}',
  });
  expect(await errorOf(embedded)).toMatchObject({ status: 400, code: 'unsupported', message });
  expect(await errorOf(await send({ model: 'ember' }))).toMatchObject({
    status: 400,
    message: expect.stringContaining('not a speech model'),
  });
});

test('the model is in memory like others, and is unloaded like others', async () => {
  expect((await send()).status).toBe(200);
  const loaded = async () => {
    const response = await fetch(`${server.url}/api/ps`);
    return ((await response.json()) as { models: { name: string; size: number }[] }).models;
  };
  const found = (await loaded()).find(({ name }) => name === 'listener:latest');
  expect(found?.size).toBeGreaterThan(2 ** 20);
  await post(server.url, '/api/generate', { model: 'listener', keep_alive: 0 });
  expect((await loaded()).map(({ name }) => name)).not.toContain('listener:latest');
});

test('every format is as in the API of OpenAI', async () => {
  const formats = ['json', 'text', 'srt', 'vtt', 'verbose_json'];
  const [json, text, srt, vtt, verbose] = await Promise.all(
    formats.map(async (response_format) => (await send({ response_format })).text()),
  );
  expect(JSON.parse(json as string)).toEqual({ text: expect.any(String), usage: { type: 'duration', seconds: 2 } });
  expect(text).toMatch(/^[^{].*\n$|^\n$/s);
  expect(vtt).toMatch(/^WEBVTT\n/);
  expect(srt).toMatch(/^(?:1\n00:00:0|$)/);
  const body = JSON.parse(verbose as string) as { text: string; segments: { text: string }[] };
  expect(body).toMatchObject({ task: 'transcribe', language: 'english', duration: 2 });
  expect(
    body.segments
      .map((segment) => segment.text)
      .join('')
      .trim(),
  ).toBe(body.text);
});

test('a stream ends with the text of its parts', async () => {
  const lines = (await (await send({ stream: true, audio: toneWav(35) })).text()).split('\n');
  const events = lines
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as { type: string; delta?: string; text?: string; usage?: object });
  const last = events.at(-1);
  expect(last).toMatchObject({ type: 'transcript.text.done', usage: { type: 'duration', seconds: 35 } });
  expect(events.slice(0, -1).every(({ type }) => type === 'transcript.text.delta')).toBe(true);
  const text = events.map(({ delta = '' }) => delta).join('');
  expect(last?.text).toBe(text.trim());
});

test('translations have the task of a translation', async () => {
  const translated = await send({ path: 'translations', response_format: 'verbose_json' });
  expect(await translated.json()).toMatchObject({ task: 'translate' });
});

test.each<readonly [name: string, audio: Buffer, seconds: number]>([
  ['WAV, 44.1 kHz, stereo', toneWav(3, stereo), 3],
  ['FLAC', toneFlac(3), 3],
  ['FLAC, 44.1 kHz, stereo, 24 bit', toneFlac(3, { ...stereo, bits: 24 }), 3],
  ['MP3, 44.1 kHz, stereo, variable bit rate, ID3', toneMp3, toneMp3Seconds],
])('a recording has its length: %s', async (_name, audio, seconds) => {
  const { duration } = (await (await send({ audio, response_format: 'verbose_json' })).json()) as { duration: number };
  expect(duration).toBeCloseTo(seconds, 3);
});

const days = (saysLength: boolean): Buffer => silentFlac(5 * 24 * 3600, { saysLength });

test.each<readonly [name: string, sent: Sent, status: number, reason: string]>([
  ['a file that is no audio', { audio: Buffer.from('hello') }, 400, 'neither WAV'],
  ['a file without samples', { audio: toneWav(0) }, 400, 'no audio'],
  ['audio that is too long', { audio: toneWav(50) }, 400, 'longer than 40 seconds'],
  ['a small file that says that it is days long', { audio: days(true) }, 400, 'longer than 40 seconds'],
  ['a small file that is days long and does not say so', { audio: days(false) }, 400, 'longer than 40 seconds'],
  ['a file that is too large', { audio: toneWav(70) }, 413, 'more than 2 MiB'],
  ['a language that does not exist', { language: 'xq' }, 400, 'language "xq" is not known'],
  ['an unknown format', { response_format: 'xml' }, 400, 'response_format'],
  ['an unknown kind of times', { 'timestamp_granularities[]': 'letter' }, 400, 'timestamp_granularities'],
  ['a temperature that is too high', { temperature: 7 }, 400, 'temperature'],
  ['a model that does not exist', { model: 'nobody' }, 404, 'not found'],
])('%s is refused', async (_name, sent, status, reason) => {
  const error = await errorOf(await send(sent));
  expect(error).toMatchObject({ status, message: expect.stringContaining(reason) });
});

test('damaged files do not end the process of the model', async () => {
  const wav = toneWav(1);
  const flac = Buffer.concat([
    Buffer.from('fLaC\0\0\0\x22', 'latin1'),
    Buffer.alloc(10),
    Buffer.from([0x0a, 0xc4, 0x42, 0xf0]),
    Buffer.alloc(4),
    Buffer.alloc(4096, 0xff),
  ]);
  const files = [
    wav.subarray(0, 60),
    Buffer.concat([wav.subarray(0, 44), Buffer.alloc(3, 255)]),
    flac,
    Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.alloc(5000, 0xaa)]),
    Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), Buffer.alloc(100)]),
  ];
  const [before] = await pidsOf();
  for (const audio of files) expect([200, 400]).toContain((await send({ audio })).status);
  expect((await send()).status).toBe(200);
  expect(server.log()).not.toContain('has terminated');
  expect((await pidsOf())[0]).toBe(before ?? (await pidsOf())[0]);
});

/** The processes of loads so far, the newest last. */
async function pidsOf(): Promise<string[]> {
  return [...server.log().matchAll(/model loaded model=listener:latest pid=(\d+)/g)].map(([, pid]) => pid as string);
}

test('a request whose client has gone does not hold up others', async () => {
  const gone = new AbortController();
  const lost = send({ audio: toneWav(39), signal: gone.signal }).catch(() => 'gone');
  const next = send();
  gone.abort();
  expect(await lost).toBe('gone');
  expect((await next).status).toBe(200);
});

test('a client that begins many uploads is refused, until they end', async () => {
  const stop = new AbortController();
  const begin = (): void => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('--x\r\nContent-Disposition: form-data; name="model"\r\n')),
    });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const init = { method: 'POST', body, headers, duplex: 'half', signal: stop.signal };
    void fetch(`${server.url}/v1/audio/translations`, init as RequestInit).catch(() => {});
  };
  for (let count = 0; count < 8; count++) begin();
  const message = 'too many audio files are sent at the same time; try again later';
  await expect.poll(async () => (await send()).status).toBe(503);
  expect((await errorOf(await send())).message).toBe(message);
  stop.abort();
  await expect.poll(async () => (await send()).status).toBe(200);
});
