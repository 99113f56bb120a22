// What ends a transcript before its end: a quota that is used up, a process that hangs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { randomWhisper, toneWav } from '../support/speech/random-whisper.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-speech-limits-'));
let server: TestServer;
let admin: string;

beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_KEYS_FILE: join(folder, 'keys.json') } });
  admin = await createKey({ name: 'admin', scope: 'admin' });
  const file = join(folder, 'model.bin');
  writeFileSync(file, randomWhisper());
  const body = JSON.stringify({ model: 'listener', from: file, stream: false });
  const created = await fetch(`${server.url}/api/create`, { method: 'POST', headers: headersOf(admin), body });
  expect(await created.json()).toEqual({ status: 'success' });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const headersOf = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

async function createKey(fields: object): Promise<string> {
  const init = { method: 'POST', headers: headersOf(admin), body: JSON.stringify(fields) };
  const created = await fetch(`${server.url}/api/keys`, init);
  return ((await created.json()) as { key: string }).key;
}

function send(key: string, seconds: number, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
  const form = new FormData();
  const all = { model: 'listener', language: 'en', temperature: '1', ...fields };
  for (const [name, value] of Object.entries(all)) form.append(name, value);
  form.append('file', new Blob([toneWav(seconds)]), 'speech.wav');
  return fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', headers: headersOf(key), body: form });
}

const lastPid = (): number =>
  Number([...server.log().matchAll(/model loaded model=listener:latest pid=(\d+)/g)].at(-1)?.[1]);

test('a transcript ends when the tokens of its key are used up', async () => {
  const key = await createKey({ name: 'anna', tokens_per_day: 1 });
  const message = 'the key "anna" has used its 1 tokens of this day; the next day begins at 00:00 UTC';
  const stopped = await send(key, 300);
  expect([stopped.status, await stopped.json()]).toEqual([429, { error: expect.objectContaining({ message }) }]);
  expect(server.log()).not.toContain('msg=transcribed');
  expect((await send(admin, 2)).status).toBe(200);
});

test('a stream has the text before the end of the quota, and then the reason', async () => {
  const key = await createKey({ name: 'bert', tokens_per_day: 1 });
  const lines = (await (await send(key, 300, { stream: 'true' })).text()).split('\n');
  const events = lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)) as object);
  expect(events.slice(0, -1)).toEqual([{ type: 'transcript.text.delta', delta: expect.any(String) }]);
  expect(events.at(-1)).toMatchObject({ error: { message: expect.stringContaining('has used its 1 tokens') } });
});

test.skipIf(process.platform !== 'linux')('a process that is stopped is replaced, and others are served', async () => {
  expect((await send(admin, 2)).status).toBe(200);
  const pid = lastPid();
  process.kill(pid, 'SIGSTOP');
  const message = 'the process of the speech model has terminated: a signal had stopped it';
  for (const failed of await Promise.all([send(admin, 35), send(admin, 2)]))
    expect([failed.status, await failed.json()]).toEqual([
      500,
      { error: expect.objectContaining({ message, code: 'runner_died' }) },
    ]);
  expect((await send(admin, 2)).status).toBe(200);
  expect([isAlive(pid), lastPid() === pid]).toEqual([false, false]);
});
