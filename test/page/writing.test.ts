// Writing messages and reading answers on the web page: drafts, notices, tables, directions of text.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser, type TestBrowser } from '../support/browser.ts';
import { answerWith, ask, chooseModel, messageField, questions, send } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const wideTable = `| programming language | standardization | memory management | representative implementation |
|---|---|---|---|
| TypeScript | ECMAScript | garbage-collected | JavaScriptCore |`;

describe.skipIf(browserPath === undefined)('writing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-writing-'));
  let server: TestServer;
  let browser: TestBrowser;
  let key: string;
  beforeAll(async () => {
    server = await startServer({ environment: { HEARTH_KEYS_FILE: join(folder, 'keys.json') } });
    const response = await fetch(`${server.url}/api/keys`, { method: 'POST', body: '{"name":"anna","scope":"admin"}' });
    key = ((await response.json()) as { key: string }).key;
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  async function open(options = {}): Promise<Page> {
    const page = await browser.open(server.url, options);
    await signIn(page);
    return page;
  }
  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
    await messageField(page).waitFor();
  }
  const draft = (page: Page) => expect.poll(() => messageField(page).inputValue());

  test('a draft stays with its chat: another chat, Back, Models, a reload, a key that has expired', async () => {
    const page = await open();
    await answerWith(page, { content: 'Yes.' });
    await ask(page, 'Is this kept?');
    await messageField(page).fill('About the chat');
    await page.getByRole('link', { name: 'New chat' }).click();
    await draft(page).toBe('');
    await messageField(page).fill('About something new');
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
    await page.goBack();
    await draft(page).toBe('About something new');
    await page.goBack();
    await draft(page).toBe('About the chat');
    await page.reload();
    await draft(page).toBe('About the chat');
    await page.getByRole('button', { name: /^Model / }).waitFor();
    await page.context().clearCookies();
    await messageField(page).press('Enter');
    await page.getByLabel('Key').waitFor();
    await signIn(page);
    await page.getByRole('link', { name: 'New chat' }).click();
    await draft(page).toBe('About something new');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page);
    await draft(page).toBe('');
  });

  test('a notice goes away with the next message', async () => {
    const page = await open();
    await answerWith(page, { content: 'Yes.' });
    const file = { name: 'a.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255]) };
    await page.locator('.composer input[type=file]').setInputFiles(file);
    await page.getByRole('alert').getByText('a.bin is neither').waitFor();
    await ask(page, 'Then without it.');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a name and Enter choose the model with exactly this name', async () => {
    const page = await open();
    await chooseModel(page, 'ember-eyes');
    await chooseModel(page, 'ember');
    await page.getByRole('button', { name: /^Model ember:latest/ }).waitFor();
  });

  test('a wide table scrolls on a phone, and its words stay whole', async () => {
    const page = await open({ viewport: { width: 360, height: 740 } });
    await answerWith(page, { content: wideTable });
    await ask(page, 'Compare them.');
    const table = page.getByRole('region', { name: 'Table' });
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.table'))",
      ),
    ).toBe(true);
    const cell = table.getByRole('cell', { name: 'JavaScriptCore' });
    const [whole, line] = [
      await cell.boundingBox(),
      await table.getByRole('cell', { name: 'ECMAScript' }).boundingBox(),
    ];
    expect(whole?.height).toBe(line?.height);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  test('the progress of a long prompt is shown', async () => {
    const page = await open();
    // The stream stays open, which a route of the driver cannot do.
    await page.evaluate(`{
      const original = window.fetch;
      window.fetch = (path, options) => {
        if (path !== '/api/chat') return original(path, options);
        const part = { model: 'ember', created_at: '', message: { role: 'assistant', content: '' }, done: false };
        const line = JSON.stringify({ ...part, prompt_progress: { evaluated: 512, total: 2048 } }) + '\\n';
        const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(line)) });
        return Promise.resolve(new Response(body, { headers: { 'x-request-id': 'none' } }));
      };
    }`);
    await send(page, 'Read this.');
    await page.getByText('Reading the prompt, 25 %').waitFor();
  });

  test('Arabic text runs from right to left, in a question and in each part of an answer', async () => {
    const page = await open();
    await answerWith(page, { content: 'مرحبا بك\n\n- واحد\n\n> اقتباس\n\nEnglish again.' });
    await ask(page, 'مرحبا');
    const direction = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`);
    expect(await direction('article.user .text')).toBe('rtl');
    for (const element of ['ul', 'blockquote'])
      expect(await direction(`article.assistant .markdown ${element}`)).toBe('rtl');
    expect(await direction('article.assistant .markdown > p:last-child')).toBe('ltr');
    expect(await questions(page).count()).toBe(1);
  });

  test('a long draft keeps its distance from the border, also while it scrolls', async () => {
    const page = await open();
    await messageField(page).fill('line\n'.repeat(80));
    const [frame, field] = [await page.locator('.composer').boundingBox(), await messageField(page).boundingBox()];
    expect((field?.y ?? 0) - (frame?.y ?? 0)).toBeGreaterThanOrEqual(12);
  });
});
