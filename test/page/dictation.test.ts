// Messages that users dictate on the web page, with a recording instead of a microphone. The speech model has random weights, so
// its words are arbitrary.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { messageField } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { randomWhisper, toneWav } from '../support/speech/random-whisper.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const path = '/v1/audio/transcriptions';
/** A device that is always there, and a user who allows it: a browser without a window cannot ask. */
const device = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

describe.skipIf(browserPath === undefined)('dictation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-dictation-'));
  const model = join(folder, 'model.bin');
  const recording = join(folder, 'recording.wav');
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    writeFileSync(model, randomWhisper());
    writeFileSync(recording, toneWav(3, { rate: 48_000 }));
    server = await startServer();
    await addListener();
    browser = await startBrowser([...device, `--use-file-for-fake-audio-capture=${recording}`]);
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  async function addListener(): Promise<void> {
    const body = JSON.stringify({ model: 'listener', from: model, stream: false });
    const created = await fetch(`${server.url}/api/create`, { method: 'POST', body });
    expect(await created.json()).toEqual({ status: 'success' });
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  async function begin(page: Page, time: string): Promise<void> {
    await button(page, 'Dictate').click();
    await page.getByRole('timer').getByText(time).waitFor();
  }
  /** The page gets these words instead of those of the model, and keeps what it sends. */
  async function answerWords(page: Page, words: string): Promise<void> {
    await page.route(`**${path}`, (route) => route.fulfill({ json: { text: ` ${words}` } }));
    await page.evaluate(`{
      const send = window.fetch;
      window.sent = [];
      window.fetch = (path, init) => {
        const reader = new FileReader();
        reader.onload = () => sent.push(reader.result);
        if (init?.body instanceof FormData) reader.readAsDataURL(init.body.get('file'));
        return send(path, init);
      };
    }`);
  }
  async function sentFiles(page: Page): Promise<Buffer[]> {
    const addresses = (await page.evaluate('sent')) as string[];
    return addresses.map((address) => Buffer.from(address.split(',')[1] ?? '', 'base64'));
  }
  /** With a temperature, a model of random weights does not try again. */
  async function transcribe(file: Buffer): Promise<number> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: 'listener', language: 'en', temperature: '1' }))
      form.append(name, value);
    form.append('file', new Blob([new Uint8Array(file)]), 'speech.wav');
    const response = await fetch(server.url + path, { method: 'POST', body: form });
    return ((await response.json()) as { usage: { seconds: number } }).usage.seconds;
  }

  test('what is said is written at the cursor, from a recording of the microphone', async () => {
    const page = await browser.open(server.url);
    await answerWords(page, 'a big');
    await messageField(page).fill('Draw house.');
    await messageField(page).press('Home');
    for (const _ of 'Draw ') await messageField(page).press('ArrowRight');
    await begin(page, '0:02');
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'End the recording').click();
    await button(page, 'Dictate').waitFor();
    await expect.poll(() => messageField(page).inputValue()).toBe('Draw a big house.');
    await page.keyboard.type('and red ');
    expect(await messageField(page).inputValue()).toBe('Draw a big and red house.');
    const [file = Buffer.alloc(0)] = await sentFiles(page);
    const wav = readWav(file);
    expect([wav.channels, wav.rate]).toEqual([1, 16_000]);
    expect(wav.samples.length / wav.rate).toBeGreaterThan(1.5);
    expect(Math.abs(pitchOf(wav) - 440) / 440).toBeLessThan(0.03);
    expect(await transcribe(file)).toBeGreaterThan(1);
  });

  test('Escape loses the recording', async () => {
    const page = await browser.open(server.url);
    await answerWords(page, 'nothing');
    await begin(page, '0:01');
    await page.keyboard.press('Escape');
    await button(page, 'Dictate').waitFor();
    expect(await page.getByRole('timer').count()).toBe(0);
    expect(await sentFiles(page)).toEqual([]);
  });

  test('another chat ends the recording', async () => {
    const page = await browser.open(server.url);
    await begin(page, '0:01');
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
    await page.goBack();
    await button(page, 'Dictate').waitFor();
    expect(await page.getByRole('timer').count()).toBe(0);
  });

  test.each([
    [
      'a microphone that the user does not allow',
      [`${device[0]}`, `${device[1]}=deny`],
      'This page may not use the microphone.',
    ],
    ['a machine without a microphone', [], 'The browser finds no microphone.'],
  ])('%s is explained', async (_name, flags, reason) => {
    const other = await startBrowser(flags);
    const page = await other.open(server.url, { permissions: ['microphone'] });
    await button(page, 'Dictate').click();
    await page.getByRole('alert').getByText(reason).waitFor();
    await button(page, 'Dictate').waitFor();
    await other.check();
    await other.close();
  });

  test('the server says why it cannot write down a recording', async () => {
    const page = await browser.open(server.url);
    await begin(page, '0:01');
    await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: '{"model":"listener"}' });
    await button(page, 'End the recording').click();
    await page
      .getByRole('alert')
      .getByText(/listener.* not found/)
      .waitFor();
    await page.reload();
    await messageField(page).waitFor();
    expect(await button(page, 'Dictate').count()).toBe(0);
    await addListener();
    await page.reload();
    await button(page, 'Dictate').waitFor();
  });
});

interface Wav {
  readonly channels: number;
  readonly rate: number;
  readonly samples: Int16Array;
}

function readWav(file: Buffer): Wav {
  const samples = new Int16Array(new Uint8Array(file.subarray(44)).buffer);
  return { channels: file.readUInt16LE(22), rate: file.readUInt32LE(24), samples };
}

/** Hertz, where there is sound: the device of the browser starts with silence. */
function pitchOf({ samples, rate }: Wav): number {
  const loud = samples.slice(rate / 2, (3 * rate) / 2);
  const rises = loud.filter((sample, index) => index > 0 && (loud[index - 1] as number) < 0 && sample >= 0).length;
  return (rises * rate) / loud.length;
}
