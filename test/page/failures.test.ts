// What the web page shows when something is missing or fails: no server, no models, a lost connection, a wrong address.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser, type TestBrowser } from '../support/browser.ts';
import { answered, answers, messageField, send } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true };
const message = { created_at: '2026-01-01T00:00:00Z' };
const shortChat = {
  title: 'Old chat',
  model: 'ember:latest',
  messages: [
    { ...message, id: 'q', parent: null, role: 'user', content: 'How was it?' },
    { ...message, id: 'a', parent: 'q', role: 'assistant', content: 'It was fine.' },
  ],
  leaf: 'a',
};

describe.skipIf(browserPath === undefined)('a server that does not answer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-failures-'));
  let browser: TestBrowser;
  let server: TestServer;
  const start = (host = '127.0.0.1:0') =>
    startServer({
      store: folder,
      isGuarded: true,
      environment: { HEARTH_HOST: host, HEARTH_MODELS: join(folder, 'models') },
    });
  beforeAll(async () => {
    browser = await startBrowser();
    server = await start();
    await fetch(`${server.url}/api/chats/an-old-chat`, { method: 'PUT', body: JSON.stringify(shortChat) });
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Otherwise the cache of the browser would answer, and not the worker. */
  async function clearBrowserCache(page: Page): Promise<void> {
    await (await page.context().newCDPSession(page)).send('Network.clearBrowserCache');
  }

  test('after one visit, the page opens without it: chats, views that were never opened, the logo', async () => {
    const page = await browser.open(server.url, { serviceWorkers: 'allow' });
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
    await page.getByRole('link', { name: 'Old chat' }).click();
    await answers(page).getByText('It was fine.').waitFor();
    await page.goto(server.url);
    await clearBrowserCache(page);
    await server.stop();
    await page.reload();
    await page.getByText('The server does not answer').first().waitFor();
    // Also on a phone, whose sidebar is closed.
    await page.setViewportSize({ width: 390, height: 760 });
    await page.getByRole('status').getByText('The server does not answer.').waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByRole('link', { name: 'Old chat' }).click();
    await answers(page).getByText('It was fine.').waitFor();
    expect(await page.evaluate("document.querySelector('.sidebar img').naturalWidth")).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Ollama API (curl)' }).waitFor();
    await page.locator('.snippet .hl-string').first().waitFor();
    server = await start(new URL(server.url).host);
  });

  test('a connection that is lost before the first token is tried again, and a restarted server is asked again', async () => {
    const body = JSON.stringify({ model: 'ember', prompt: 'Hi', options: { num_predict: 1 } });
    await (await fetch(`${server.url}/api/generate`, { method: 'POST', body })).text();
    const page = await browser.open(server.url, phone);
    // A runner that is stopped computes no token.
    for (const runner of server.runners()) process.kill(runner, 'SIGSTOP');
    const accepted = page.waitForResponse('**/api/chat');
    await send(page, 'Say one word.');
    await accepted;
    const runners = server.runners();
    server.signal('SIGKILL');
    await server.exit;
    for (const runner of runners) endProcess(runner);
    await page.getByText('Connection lost, trying again.').waitFor();
    expect(await page.locator('.waiting').count()).toBe(0);
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Connection lost, trying again.').waitFor();
    server = await start(new URL(server.url).host);
    await answers(page).locator('.markdown').waitFor();
    await answered(page);
    expect(await page.getByText('Connection lost').count()).toBe(0);
    expect(await answers(page).locator('.markdown').innerText()).not.toBe('');
  });

  test('a question that does not reach the server can be sent again', async () => {
    const page = await browser.open(server.url);
    await page.route('**/api/chat', (route) => route.abort());
    await send(page, 'Say one word.');
    await page.getByRole('alert').getByText('The server does not answer.').waitFor();
    await page.unroute('**/api/chat');
    await page.getByRole('button', { name: 'Try again' }).click();
    await answered(page);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await answers(page).getByText('1 / 2').count()).toBe(0);
  });

  test('an answer that is stopped before its first text is not an error', async () => {
    const page = await browser.open(server.url);
    await page.route('**/api/chat', () => {});
    await send(page, 'Say one word.');
    await page.getByText('Waiting for the first token').waitFor();
    await page.keyboard.press('Escape');
    await answers(page).getByText('You stopped this answer').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test.each(['NOT-AN-ID!', 'nothing-has-this-id'])('there is no chat %s, which a sentence says', async (id) => {
    const page = await browser.open(`${server.url}/#/chat/${id}`);
    await page.getByText('There is no such chat. It may have been deleted.').waitFor();
  });

  test('without models, the page leads to them, and nothing has an empty name', async () => {
    const page = await browser.open(server.url);
    await page.route('**/api/tags', (route) => route.fulfill({ json: { models: [] } }));
    await page.reload();
    await page.getByRole('link', { name: 'Get a model' }).waitFor();
    await messageField(page).fill('Hello?');
    await messageField(page).press('Enter');
    await page.getByRole('alert').getByText('There are no models yet. Get one in Models.').waitFor();
    expect(await messageField(page).inputValue()).toBe('Hello?');
    await page.getByRole('link', { name: 'Connect' }).click();
    // The view is loaded when it is first opened.
    await page.locator('.snippet pre').first().waitFor();
    const snippets = await page.locator('.snippet pre').allInnerTexts();
    expect(snippets.length).toBeGreaterThan(0);
    for (const text of snippets) {
      expect(text).not.toContain('""');
      expect(text).toContain('MODEL');
    }
    await page.getByRole('link', { name: 'New chat' }).click();
    await page.getByRole('link', { name: 'Get a model' }).click();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
  });
});

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its server.
  }
}
