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

  test('keys: a new chat, search, and choosing with arrows', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'Yes.' });
    await ask(page, 'Is bread healthy?');
    await page.keyboard.press('Control+Shift+O');
    await page.getByRole('heading', { name: 'What can I help with?' }).waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('bread');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Is bread healthy/ })
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await answers(page).getByText('Yes.').waitFor();
  });

  test('a chat is deleted after a question', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'Yes.' });
    await ask(page, 'Is bread healthy?');
    await page.getByRole('button', { name: 'Delete Is bread healthy?' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'What can I help with?' }).waitFor();
    expect(await page.getByRole('link', { name: 'Is bread healthy?' }).count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious in %s', async (colorScheme) => {
    const page = await browser.open(server.url, { colorScheme });
    await messageField(page).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await answerWith(page, { content: sample, thinking: 'Hm.' });
    await ask(page, 'Show me everything.');
    await answers(page).locator('.hl-keyword').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Settings of this chat' }).click();
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

  test('a long conversation renders what is near the view', async () => {
    const page = await browser.open(server.url);
    const messages = Array.from({ length: 1000 }, (_, index) => ({
      id: `m${index}`,
      parent: index === 0 ? null : `m${index - 1}`,
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: index % 2 === 0 ? `Question ${index}` : `Answer ${index} with **bold** text.\n\n- one\n- two`,
      created_at: '2026-01-01T00:00:00Z',
    }));
    const chat = { id: 'long', title: 'Long', model: 'ember:latest', updated_at: '2026-01-01T00:00:00Z' };
    const document = { ...chat, system: '', options: {}, format: null, messages, leaf: 'm999', revision: 1 };
    await page.route('**/api/chats', (route) => route.fulfill({ json: { chats: [{ ...chat, message_count: 1000 }] } }));
    await page.route('**/api/chats/long', (route) => route.fulfill({ json: document }));
    await page.reload();
    await page.getByRole('link', { name: 'Long' }).click();
    await answers(page).getByText('Answer 999').waitFor();
    expect(await page.locator('article').count()).toBe(1000);
    expect(await page.locator('.markdown').count()).toBeLessThan(100);
    await answers(page).first().scrollIntoViewIfNeeded();
    await answers(page).first().locator('.markdown').waitFor();
  });

  test('the page opens without the server, and says so', async () => {
    const own = await startServer();
    const page = await browser.open(own.url, { serviceWorkers: 'allow' });
    await page.evaluate('navigator.serviceWorker.ready');
    await expect.poll(() => page.evaluate("caches.match('/').then((found) => found !== undefined)")).toBe(true);
    await own.stop();
    await page.reload();
    await page.getByText('The server does not answer').first().waitFor();
  });
});

describe.skipIf(browserPath === undefined)('with keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-keys-'));
  let server: TestServer;
  let browser: TestBrowser;
  let key: string;
  beforeAll(async () => {
    server = await startServer({ environment: { HEARTH_KEYS_FILE: join(folder, 'keys.json') } });
    const body = JSON.stringify({ name: 'anna' });
    key = ((await (await fetch(`${server.url}/api/keys`, { method: 'POST', body })).json()) as { key: string }).key;
    await expect.poll(async () => (await fetch(`${server.url}/api/tags`)).status).toBe(401);
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  test('the page asks for a key, and keeps a session instead of it', async () => {
    const page = await browser.open(server.url);
    const field = page.getByLabel('Key');
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    await field.fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
    await messageField(page).waitFor();
    await page.reload();
    await messageField(page).waitFor();
    expect(
      await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie'),
    ).not.toContain(key);
  });
});

function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth');
}
