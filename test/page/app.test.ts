// The frame of the web page: rendering of answers, keys, accessibility, small screens, a server that does not answer.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { answers, answerWith, ask, messageField } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const sample = `# Title

A list with **bold**, \`code\` and a formula $E = mc^2$:

1. one
2. two

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`python
def answer():
    return 42
\`\`\`

$$
\\int_0^1 x\\,dx
$$

[safe](https://example.com/) and [unsafe](javascript:alert(1)) and ![picture](https://example.com/a.png)
<img src="https://example.com/b.png" onerror="alert(1)">
`;

describe.skipIf(browserPath === undefined)('the page', () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer();
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test('Markdown becomes elements, and nothing of another origin is loaded', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: sample });
    await ask(page, 'Show me everything.');
    const answer = answers(page).last();
    expect(await answer.getByRole('heading', { name: 'Title' }).count()).toBe(1);
    expect(await answer.locator('ol > li').allInnerTexts()).toEqual(['one', 'two']);
    expect(await answer.locator('td').allInnerTexts()).toEqual(['1', '2']);
    await answer.locator('.hl-keyword').first().waitFor();
    expect(await answer.locator('pre').innerText()).toBe('def answer():\n    return 42');
    await expect.poll(() => answer.locator('math').count()).toBe(2);
    expect(await answer.locator('img').count()).toBe(0);
    const links = answer.getByRole('link');
    expect(await links.allInnerTexts()).toEqual(['safe', 'Image: picture']);
    expect(await links.first().getAttribute('rel')).toContain('noopener');
    expect(await answer.innerText()).toContain('<img src=');
  });

  test('thoughts are folded, tool calls are shown', async () => {
    const page = await browser.open(server.url);
    const call = { function: { index: 0, name: 'get_weather', arguments: { city: 'Paris' } } };
    await answerWith(page, { content: 'It depends.', thinking: 'Where is Paris?', tool_calls: [call] });
    await ask(page, 'What is the weather in Paris?');
    const thoughts = page.getByText('Where is Paris?');
    expect(await thoughts.isVisible()).toBe(false);
    await page.getByText('Thoughts').click();
    expect(await thoughts.isVisible()).toBe(true);
    await page.getByText('get_weather').click();
    expect(await page.getByText('"city": "Paris"').isVisible()).toBe(true);
  });

  test('the page is used with the keyboard alone', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'Yes.' });
    // The field has the focus from the beginning.
    await expect.poll(() => focused(page)).toBe('Message');
    await page.keyboard.type('Is bread healthy?');
    await page.keyboard.press('Enter');
    await answers(page).getByText('Yes.').waitFor();
    await pressUntil(page, 'Shift+Tab', 'Generate again');
    await page.keyboard.press('Enter');
    await answers(page).getByText('2 / 2').waitFor();
    await expect.poll(() => focused(page)).toBe('Message');
    await pressUntil(page, 'Shift+Tab', 'Previous version');
    await page.keyboard.press('Enter');
    await answers(page).getByText('1 / 2').waitFor();
    await pressUntil(page, 'Shift+Tab', 'Edit message');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Edited message');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Edit message');

    await pressUntil(page, 'Shift+Tab', /^Model ember/);
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Search models');
    await page.keyboard.type('ember-eyes');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // The focus is back where it was.
    await expect.poll(() => focused(page)).toMatch(/^Model ember-eyes/);

    await page.keyboard.press('Control+Shift+O');
    await page.getByRole('heading', { name: 'What can I help with?' }).waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('bread');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Is bread healthy/ })
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await answers(page).getByText('Yes.').waitFor();
  });

  test('the page can be installed', async () => {
    const page = await browser.open(server.url);
    const address = await page.locator('link[rel=manifest]').getAttribute('href');
    const manifest = (await (await fetch(server.url + address)).json()) as {
      readonly icons: readonly { readonly src: string; readonly type: string }[];
    };
    expect(manifest).toMatchObject({ name: 'Hearth', start_url: '/', display: 'standalone' });
    for (const { src, type } of manifest.icons) {
      const icon = await fetch(server.url + src);
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type]);
    }
    const session = await page.context().newCDPSession(page);
    expect((await session.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing in %s', async (colorScheme) => {
    const page = await browser.open(server.url, { colorScheme });
    await messageField(page).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await answerWith(page, { content: sample, thinking: 'Hm.' });
    await ask(page, 'Show me everything.');
    await answers(page).locator('.hl-keyword').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Chat settings' }).click();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+K');
    expect(await findBarriers(page)).toEqual([]);
  });

  test('on a phone, the sidebar opens over the page, and nothing is wider than the screen', async () => {
    const page = await browser.open(server.url, { viewport: { width: 360, height: 740 }, hasTouch: true });
    await answerWith(page, { content: `${sample}\n\n\`\`\`\n${'wide '.repeat(100)}\n\`\`\`` });
    await ask(page, 'Show me everything.');
    expect(await widthOf(page)).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: 'Open the sidebar' }).click();
    await page.getByRole('link', { name: 'New chat' }).click();
    await page.getByRole('heading', { name: 'What can I help with?' }).waitFor();
    await page.getByRole('link', { name: 'New chat' }).waitFor({ state: 'hidden' });
  });

  test('the page has the language of the browser, or the one that is chosen without a reload', async () => {
    const page = await browser.open(server.url, { locale: 'de-AT' });
    const language = () => page.locator('html').getAttribute('lang');
    await page.getByRole('heading', { name: 'Wie kann ich helfen?' }).waitFor();
    await page.getByRole('heading', { name: 'Neuer Chat' }).waitFor();
    expect(await language()).toBe('de');
    await page.evaluate('window.isLoaded = true');
    await page.getByRole('button', { name: 'Einstellungen', exact: true }).click();
    await page.getByLabel('Sprache').selectOption({ label: '日本語' });
    await page.getByRole('dialog').getByRole('heading', { name: '設定' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: '何をお手伝いしましょうか？' }).waitFor();
    expect(await page.evaluate('window.isLoaded')).toBe(true);
    await page.reload();
    await page.getByRole('heading', { name: '何をお手伝いしましょうか？' }).waitFor();
    expect(await language()).toBe('ja');
    await page.goto(`${server.url}/#/models`);
    await page.getByRole('columnheader', { name: '量子化' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test.each([1280, 360])('from right to left, the page is a mirror of itself, %d pixels wide', async (width) => {
    const page = await browser.open(`${server.url}/?dir=rtl`, { viewport: { width, height: 740 } });
    await answerWith(page, { content: sample });
    await ask(page, 'Show me everything.');
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('pre')).direction`)).toBe('ltr');
    if (width < 700) await page.getByRole('button', { name: 'Open the sidebar' }).click();
    const right = async (): Promise<number> => {
      const { x, width: own } = (await page.locator('.sidebar').boundingBox()) ?? { x: 0, width: 0 };
      return x + own;
    };
    await expect.poll(right).toBe(width);
  });
});

describe.skipIf(browserPath === undefined)('with keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-keys-'));
  let server: TestServer;
  let browser: TestBrowser;
  const keys = { anna: '', ben: '' };
  beforeAll(async () => {
    server = await startServer({ environment: { HEARTH_KEYS_FILE: join(folder, 'keys.json') } });
    keys.anna = await createKey({ name: 'anna', scope: 'admin' });
    keys.ben = await createKey({ name: 'ben' }, keys.anna);
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  async function createKey(body: object, authority?: string): Promise<string> {
    const headers: Record<string, string> = authority === undefined ? {} : { authorization: `Bearer ${authority}` };
    const response = await fetch(`${server.url}/api/keys`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await response.json()) as { key: string }).key;
  }

  async function signIn(page: Page, key: string): Promise<void> {
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  test('the page asks for a key, and keeps a session instead of it', async () => {
    const page = await browser.open(server.url);
    await page.getByLabel('Key', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await signIn(page, 'wrong');
    await page.getByRole('alert').waitFor();
    await signIn(page, keys.anna);
    await messageField(page).waitFor();
    await page.reload();
    await messageField(page).waitFor();
    expect(
      await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie'),
    ).not.toContain(keys.anna);
  });

  test('each key has chats of its own', async () => {
    const page = await browser.open(server.url);
    await signIn(page, keys.anna);
    await answerWith(page, { content: 'Nobody else reads this.' });
    await ask(page, 'Who reads this?');
    await page.getByRole('link', { name: 'Who reads this?' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, keys.ben);
    await messageField(page).waitFor();
    expect(await page.getByRole('link', { name: 'Who reads this?' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, keys.anna);
    await page.getByRole('link', { name: 'Who reads this?' }).waitFor();
  });
});

function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth');
}

/** The name of the element with the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
}

async function pressUntil(page: Page, key: string, name: string | RegExp): Promise<void> {
  // There are fewer elements with a focus on the page.
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const found = await focused(page);
    if (typeof name === 'string' ? found === name : name.test(found)) return;
  }
  throw new Error(`${key} does not reach ${name}`);
}
