// Writing messages and reading answers on the web page: drafts, notices, tables, directions of text, previews.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { hostileCode } from '../support/hostile-code.ts';
import { answerWith, ask, chooseModel, messageField, questions, send } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const wideTable = `| programming language | standardization | memory management | representative implementation |
|---|---|---|---|
| TypeScript | ECMAScript | garbage-collected | JavaScriptCore |`;

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

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
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
    await messageField(page).waitFor();
  }
  /** Returns the content of the preview with an index. */
  async function showPreviews(page: Page): Promise<(index: number) => FrameLocator> {
    const blocks = page.locator('.code');
    for (const block of await blocks.all()) await block.getByRole('button', { name: 'Show preview' }).click();
    return (index) => blocks.nth(index).frameLocator('iframe').frameLocator('iframe');
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
    await page.getByLabel('Key', { exact: true }).waitFor();
    await signIn(page);
    await page.getByRole('link', { name: 'New chat' }).click();
    await draft(page).toBe('About something new');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page);
    await draft(page).toBe('');
  });

  test('HTML, SVG and Mermaid code can be shown as what it draws', async () => {
    const page = await open();
    const html = '<button onclick="this.textContent = \'pressed\'">Press</button>';
    const parts = [fence('html', html), fence('svg', '<svg viewBox="0 0 9 9"><text>drawn</text></svg>')];
    parts.push(fence('mermaid', 'graph TD; A[Start] --> B[End]'));
    await answerWith(page, { content: parts.join('\n\n') });
    await ask(page, 'Draw something.');
    const shown = await showPreviews(page);
    await shown(0).getByRole('button', { name: 'Press' }).click();
    await shown(0).getByRole('button', { name: 'pressed' }).waitFor();
    await shown(1).getByText('drawn').waitFor();
    await shown(2).getByText('Start', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show code' }).first().click();
    expect(await page.locator('.code').first().locator('pre').innerText()).toContain('onclick');
    expect(await page.locator('iframe').count()).toBe(parts.length - 1);
  });

  test('code in a preview reaches neither the network nor the page', async () => {
    const arrived: string[] = [];
    const listener = createServer((socket) => {
      arrived.push('connection');
      socket.on('error', () => {});
      socket.on('data', (data) => {
        arrived.push(data.toString().split('\r\n', 1)[0] ?? '');
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    try {
      await once(listener, 'listening');
      const target = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
      const page = await open({ isHostile: true });
      const leave = `<script>location = '${target}/leave'</script>`;
      const parts = [fence('html', hostileCode(target, server.url)), fence('html', leave)];
      parts.push(fence('html', `<meta http-equiv="refresh" content="0;url=${target}/refresh"><p>stays</p>`));
      await answerWith(page, { content: parts.join('\n\n') });
      await ask(page, 'Attack me.');
      const before = page.url();
      const shown = await showPreviews(page);
      await shown(0).getByText('connection in a frame').waitFor();
      expect((await shown(0).locator('#result').innerText()).split('\n')).toEqual([
        'fetch: TypeError',
        'own: TypeError',
        'socket: error',
        'events: error',
        'beacon: error',
        'worker: error',
        'import: TypeError',
        'cookie: SecurityError',
        'storage: SecurityError',
        'page: SecurityError',
        'top: SecurityError',
        'parent: SecurityError',
        'popup: null',
        'connection: undefined',
        'eval: EvalError',
        'connection in a frame: undefined',
      ]);
      await shown(2).getByText('stays').waitFor();
      await expect.poll(() => page.frames().some((frame) => frame.url().startsWith('chrome-error:'))).toBe(true);
      expect([page.url(), page.context().pages().length]).toEqual([before, 1]);
      await fetch(`${target}/control`).catch(() => {});
      expect(arrived).toEqual(['connection', 'GET /control HTTP/1.1']);
    } finally {
      listener.close();
    }
  });

  test('a preview that never ends does not hold the page, and is ended', async () => {
    // On desktops, frames without an origin have a process of their own. A browser for tests saves memory unless it is told.
    const desktop = await startBrowser(['--site-per-process']);
    const page = await desktop.open(server.url, { isHostile: true });
    await signIn(page);
    await page.route('**/page/mermaid*', (route) => route.fulfill({ body: 'for (;;);' }));
    const endless = '<script>for (;;);</script>';
    const parts = [fence('html', endless), fence('svg', `<svg viewBox="0 0 9 9">${endless}</svg>`)];
    parts.push(fence('mermaid', 'graph TD; A --> B'));
    await answerWith(page, { content: parts.join('\n\n') });
    await ask(page, 'Never end.');
    // Time passes faster for the page alone: the frames cannot be asked.
    await page.evaluate('{ const every = setInterval; window.setInterval = (work, ms) => every(work, ms / 30); }');
    const blocks = page.locator('.code');
    for (let index = 0; index < parts.length; index++) {
      const block = blocks.nth(index);
      await block.getByRole('button', { name: 'Show preview' }).click();
      await block.locator('iframe').waitFor();
      await messageField(page).fill(`The page still works: ${index}`);
      await block.getByRole('alert').getByText('This preview did not answer and was ended.').waitFor();
      expect(await block.locator('iframe').count()).toBe(0);
    }
    await ask(page, 'And answers.');
    await desktop.close();
  });

  test('two models answer side by side, and one chat is kept', async () => {
    const page = await open();
    await page.route('**/api/chat', (route) => {
      const { model } = route.request().postDataJSON() as { readonly model: string };
      const part = { model, created_at: '', message: { role: 'assistant', content: `I am ${model}.` } };
      return route.fulfill({
        contentType: 'application/x-ndjson',
        body: JSON.stringify({ ...part, done: true, done_reason: 'stop' }),
      });
    });
    await page.getByRole('link', { name: 'Compare' }).click();
    const side = (name: string) => page.getByRole('region', { name, exact: true });
    await page.getByRole('textbox', { name: 'Message to both models' }).fill('Who are you?');
    await page.keyboard.press('Enter');
    // An answer has no text for a moment when it is complete and becomes a message.
    const answerOf = async (name: string): Promise<string> => {
      let text = '';
      await expect
        .poll(async () => {
          text = await side(name)
            .getByText(/^I am /)
            .innerText();
          return text;
        })
        .toMatch(/^I am /);
      return text;
    };
    const texts = [await answerOf('First model'), await answerOf('Second model')];
    expect(new Set(texts).size).toBe(2);
    expect(await findBarriers(page)).toEqual([]);
    await side('Second model').getByRole('button', { name: 'Keep this chat' }).click();
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
    await expect.poll(() => page.locator('article.assistant .markdown').innerText()).toBe(texts[1]);
    await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'Who are you?' }).waitFor();
  });

  test('an answer is read aloud, where the browser has voices', async () => {
    const page = await open();
    await answerWith(page, { content: '**One.** Two.' });
    await ask(page, 'Count.');
    expect(await page.getByRole('button', { name: 'Read aloud' }).count()).toBe(0);
    await page.evaluate(`{
      window.spoken = [];
      speechSynthesis.getVoices = () => [{}];
      speechSynthesis.speak = (utterance) => { spoken.push(utterance.text); window.last = utterance; };
      speechSynthesis.dispatchEvent(new Event('voiceschanged'));
    }`);
    await page.getByRole('button', { name: 'Read aloud' }).click();
    await page.getByRole('button', { name: 'Stop reading' }).waitFor();
    expect(await page.evaluate('spoken')).toEqual(['One.', 'Two.']);
    await page.evaluate('last.onend()');
    await page.getByRole('button', { name: 'Read aloud' }).click();
    await page.getByRole('button', { name: 'Stop reading' }).click();
    await page.getByRole('button', { name: 'Read aloud' }).waitFor();
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
    await page.getByText('Reading the prompt: 25%').waitFor();
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
    // Titles begin where all titles begin.
    expect(await direction('h1')).toBe('rtl');
    const distance = await page.evaluate(`{
      const title = document.querySelector('h1');
      const text = document.createRange();
      text.selectNodeContents(title);
      text.getBoundingClientRect().x - title.getBoundingClientRect().x;
    }`);
    expect(distance).toBeLessThan(2);
  });

  test('a long draft keeps its distance from the border, also while it scrolls', async () => {
    const page = await open();
    await messageField(page).fill('line\n'.repeat(80));
    const [frame, field] = [await page.locator('.composer').boundingBox(), await messageField(page).boundingBox()];
    expect((field?.y ?? 0) - (frame?.y ?? 0)).toBeGreaterThanOrEqual(12);
  });
});
