// A chat that its author shares by a link, and another user reads and copies: a real server, two keys, a real browser.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { answers, answerWith, ask, messageField, questions } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const picture = 'R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==';
const call = { id: 'c1', at: 12, server: 'files', tool: 'read_file', arguments: { path: 'salary.txt' }, result: '7' };
const messages = [
  { id: 'm1', parent: null, role: 'user', content: 'Where do apples grow?', images: [picture] },
  {
    id: 'm2',
    parent: 'm1',
    role: 'assistant',
    content: 'I will look.\n\nOn **trees**.',
    model: 'ember:latest',
    mcp_calls: [call],
  },
  { id: 'm3', parent: 'm1', role: 'assistant', content: 'Another branch.' },
];
const chat = { title: 'Apples', model: 'ember:latest', system: 'Be secret.', messages, leaf: 'm2' };

describe.skipIf(browserPath === undefined)('a shared chat', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-sharing-'));
  const keys = { anna: '', ben: '' };
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer({ environment: { HEARTH_KEYS_FILE: join(folder, 'keys.json') } });
    keys.anna = await createKey({ name: 'anna', scope: 'admin' });
    keys.ben = await createKey({ name: 'ben' });
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  async function send(method: string, path: string, body?: object, key = keys.anna): Promise<unknown> {
    const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(server.url + path, { method, headers, body: body ? JSON.stringify(body) : null });
    return response.json();
  }

  async function createKey(body: object): Promise<string> {
    return ((await send('POST', '/api/keys', body)) as { key: string }).key;
  }

  /** The page at an address, after the key was asked for. */
  async function openAs(key: string, address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.open(address, options);
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.sidebar').waitFor({ state: 'attached' });
    return page;
  }

  async function shareApples(id: string): Promise<string> {
    await send('PUT', `/api/chats/${id}`, chat);
    const { shared_link: link } = (await send('POST', `/api/chats/${id}/share`)) as { readonly shared_link: string };
    return `${server.url}/#/shared/${link}`;
  }

  test('is shared with the keyboard, read and copied by another user, and ended', async () => {
    await send('PUT', '/api/chats/apples-one', { ...chat, title: 'Orchard' });
    const anna = await openAs(keys.anna, server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const dialog = anna.getByRole('dialog', { name: 'Share chat' });
    const openDialog = async (): Promise<void> => {
      await anna.getByRole('button', { name: 'Actions for Orchard' }).press('Enter');
      await anna.getByRole('menuitem', { name: 'Share…' }).press('Enter');
      await dialog.waitFor();
    };
    await openDialog();
    await dialog.getByText(/^Everybody with a key or an account on this server who has the link/).waitFor();
    await dialog.getByText(/They see your name: anna\.$/).waitFor();
    expect(await findBarriers(anna)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create link' }).press('Enter');
    const field = dialog.getByRole('textbox', { name: 'Link' });
    await dialog.getByRole('status').getByText('Link copied.').waitFor();
    const address = await field.inputValue();
    expect(address).toMatch(/\/#\/shared\/[0-9a-f]{40}$/);
    expect(await anna.evaluate('navigator.clipboard.readText()')).toBe(address);
    expect(await anna.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Link');
    expect(await findBarriers(anna)).toEqual([]);
    await anna.keyboard.press('Escape');
    await anna.getByRole('link', { name: 'Orchard' }).getByRole('img', { name: 'Shared by a link' }).waitFor();

    const ben = await openAs(keys.ben, address);
    await ben.getByRole('heading', { name: 'Orchard', level: 1 }).waitFor();
    expect(await ben.title()).toBe('Orchard – Hearth');
    await ben.getByText('Shared by anna').waitFor();
    expect(await questions(ben).allInnerTexts()).toEqual(['Where do apples grow?']);
    expect(await questions(ben).getByRole('img', { name: 'Image 1' }).count()).toBe(1);
    expect(await answers(ben).locator('strong', { hasText: 'trees' }).count()).toBe(1);
    expect(await ben.locator('.tool-card').allInnerTexts()).toEqual(['read_file files']);
    expect(await ben.locator('main').innerText()).not.toMatch(/secret|salary|branch/);
    expect(await messageField(ben).count()).toBe(0);
    expect(await ben.locator('main').getByRole('button').allInnerTexts()).toEqual(['Copy to my chats', '', '']);
    await ben.getByRole('button', { name: 'Copy to my chats' }).press('Enter');
    await ben.getByRole('heading', { name: 'Orchard (copy)' }).waitFor();
    await answerWith(ben, { content: 'Some do.' });
    await ask(ben, 'And pears?');
    expect(await answers(ben).count()).toBe(2);
    // The copy is Ben's own, and the chat of Anna stays as it was.
    await ben.reload();
    await answers(ben).getByText('Some do.').waitFor();
    expect(await send('GET', '/api/chats/apples-one')).toMatchObject({ messages });

    await openDialog();
    expect(await field.inputValue()).toBe(address);
    await dialog.getByRole('button', { name: 'Stop sharing' }).press('Enter');
    await dialog.getByText('The link does not work any more.').waitFor();
    expect(await anna.evaluate('document.activeElement.textContent')).toBe('Create link');
    await anna.keyboard.press('Escape');
    await anna.getByRole('img', { name: 'Shared by a link' }).waitFor({ state: 'detached' });
    await ben.goto(address);
    await ben
      .getByRole('alert')
      .getByText(/^This link does not work: its author has stopped sharing/)
      .waitFor();
    expect(await findBarriers(ben)).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('has no barriers in %s, and fits a phone', async (colorScheme) => {
    const address = await shareApples(`apples-${colorScheme}`);
    const viewport = { width: 360, height: 740 };
    const page = await openAs(keys.ben, address, { colorScheme, viewport });
    await page.getByRole('heading', { name: 'Apples', level: 1 }).waitFor();
    await answers(page).locator('strong').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
  });

  test('is found by all users in a shared folder, until its author takes it out', async () => {
    await send('PUT', '/api/chats/apples-folder', { ...chat, title: 'Cider' });
    await send('POST', '/api/chats/apples-folder/share');
    const anna = await openAs(keys.anna, server.url);
    await anna.getByRole('button', { name: 'Actions for Cider' }).press('Enter');
    await anna.getByRole('menuitem', { name: 'Share…' }).press('Enter');
    const dialog = anna.getByRole('dialog', { name: 'Share chat' });
    await dialog.getByRole('combobox', { name: 'Shared folder' }).fill('Drinks');
    await anna.keyboard.press('Enter');
    await dialog.getByRole('status').getByText('finds the chat in “Drinks”').waitFor();
    expect(await findBarriers(anna)).toEqual([]);

    const ben = await openAs(keys.ben, server.url);
    await ben.getByRole('link', { name: 'Shared chats' }).click();
    await ben.getByRole('heading', { name: 'Drinks' }).waitFor();
    expect(await findBarriers(ben)).toEqual([]);
    await ben.getByRole('link', { name: 'Cider' }).press('Enter');
    await answers(ben).locator('strong', { hasText: 'trees' }).waitFor();
    expect(await messageField(ben).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Remove from folder' }).press('Enter');
    await dialog.getByRole('status').getByText('The chat is in no shared folder.').waitFor();
    await ben.getByRole('link', { name: 'Shared chats' }).click();
    await ben.getByText(/^No chats are in shared folders/).waitFor();
  });

  test('is ended by an administrator', async () => {
    await send('PUT', '/api/chats/bens-chat', { ...chat, title: 'Perry' }, keys.ben);
    await send('POST', '/api/chats/bens-chat/share', undefined, keys.ben);
    const page = await openAs(keys.anna, `${server.url}/#/keys`);
    const row = page.getByLabel('List of shared chats').getByRole('row', { name: 'Perry' });
    await row.getByText('can be read').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await row.getByRole('button', { name: 'End the link of Perry' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'End link' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await send('GET', '/api/chats/bens-chat', undefined, keys.ben)).not.toHaveProperty('shared_link');
  });

  test('a link that never existed, and one that is cut off, get the same text', async () => {
    const page = await openAs(keys.ben, `${server.url}/#/shared/${'0'.repeat(40)}`);
    for (const link of ['00aa', '..%2F..%2Fapi%2Ftags']) {
      await page
        .getByRole('alert')
        .getByText(/^This link does not work/)
        .waitFor();
      await page.goto(`${server.url}/#/models`);
      await page.getByRole('heading', { name: 'Models' }).waitFor();
      await page.goto(`${server.url}/#/shared/${link}`);
    }
    await page
      .getByRole('alert')
      .getByText(/^This link does not work/)
      .waitFor();
  });

  test('the view has the language of the reader', async () => {
    const page = await browser.open(await shareApples('apples-german'), { locale: 'de-DE' });
    await page.getByLabel('Schlüssel', { exact: true }).fill(keys.ben);
    await page.getByRole('button', { name: 'Weiter' }).click();
    await page.getByText('Geteilt von anna').waitFor();
    await page.getByRole('button', { name: 'In meine Chats kopieren' }).waitFor();
  });
});
