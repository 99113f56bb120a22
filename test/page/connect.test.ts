// Connect and /docs, with a real server and a real browser.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

describe.skipIf(browserPath === undefined)('programs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-connect-'));
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer({ environment: { HEARTH_KEYS_FILE: join(folder, 'keys.json') } });
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  const operation = (page: Page, name: RegExp) =>
    page.locator('details').filter({ has: page.locator('summary', { hasText: name }) });

  test('snippets have the address of the server and the chosen model', async () => {
    const page = await browser.open(`${server.url}/#/connect`);
    const shown = page.locator('.snippet pre');
    await page.getByRole('combobox', { name: 'Model' }).selectOption('ember-eyes:latest');
    for (const text of await shown.allInnerTexts()) {
      expect(text).toContain(server.url);
      expect(text).toContain('ember-eyes');
    }
    await page.getByRole('button', { name: 'Editors' }).click();
    await page.getByRole('heading', { name: 'Zed' }).waitFor();
    expect(await shown.count()).toBe(3);
    await page.getByRole('button', { name: 'Agents' }).click();
    await page.getByText('64,000 tokens of context are recommended').waitFor();
  });

  test('the documentation describes every operation, and sends its examples', async () => {
    const page = await browser.open(`${server.url}/docs`);
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('tokenize');
    expect(await page.locator('details:visible').count()).toBe(4);
    const tokenize = operation(page, /\/api\/tokenize/);
    await tokenize.locator('summary').click();
    await tokenize.getByRole('button', { name: 'Send' }).click();
    await tokenize.locator('output', { hasText: '200' }).waitFor();
    expect(JSON.parse(await tokenize.locator('.try pre').innerText())).toMatchObject({ model: 'ember' });
    await tokenize.getByRole('textbox', { name: 'Body' }).fill('{"model":"nothing"}');
    await tokenize.getByRole('button', { name: 'Send' }).click();
    await tokenize.locator('output', { hasText: '404' }).waitFor();
  });

  test('parameters are part of the address, and a stream is shown', async () => {
    const page = await browser.open(`${server.url}/docs#getApiUsage`);
    const usage = operation(page, /\/api\/usage/);
    const request = page.waitForRequest('**/api/usage?*');
    await usage.getByRole('button', { name: 'Send' }).click();
    expect(new URL((await request).url()).search).toBe('?by=model&since=7d');
    const generate = operation(page, /\/api\/generate/);
    await generate.locator('summary').click();
    await generate
      .getByRole('textbox', { name: 'Body' })
      .fill('{"model":"ember","prompt":"Hi","options":{"num_predict":8}}');
    await generate.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => generate.locator('.try pre').innerText()).toContain('"done":true');
  });

  test.each(['light', 'dark'] as const)('axe finds nothing in %s', async (colorScheme) => {
    const page = await browser.open(`${server.url}/#/connect`, { colorScheme });
    await page.getByRole('heading', { name: 'hearth' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.goto(`${server.url}/docs#postApiChat`);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    // All operations look the same, and axe would take long.
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('chat');
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  // The last test: from now on requests need a key.
  test('with keys, snippets name the variable instead of a key', async () => {
    const body = JSON.stringify({ name: 'anna' });
    const response = await fetch(`${server.url}/api/keys`, { method: 'POST', body });
    const { key } = (await response.json()) as { key: string };
    await expect.poll(async () => (await fetch(`${server.url}/api/tags`)).status).toBe(401);
    const page = await browser.open(`${server.url}/#/connect`);
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Python' }).click();
    await page.getByRole('heading', { name: 'Python, openai' }).waitFor();
    for (const text of await page.locator('.snippet pre').allInnerTexts())
      expect(text).toContain('os.environ["HEARTH_API_KEY"]');
    expect(await page.content()).not.toContain(key);
    // A key of this scope does not change models.
    await page.goto(`${server.url}/#/models`);
    await page.getByRole('link', { name: 'ember', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Pull' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Delete / }).count()).toBe(0);
  });
});
