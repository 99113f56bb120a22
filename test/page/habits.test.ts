// What people expect of a chat page: titles, settings, shortcuts, exports, answers that end.

import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import {
  answered,
  answers,
  answerWith,
  ask,
  chooseModel,
  growingText,
  messageField,
  send,
} from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

describe.skipIf(browserPath === undefined)('habits', () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer();
    await addEndlessModel(server.store, 'endless');
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });
  const chats = (page: Page) => page.getByRole('navigation', { name: 'Chats' });

  /** The list of models says that ember is as large as this. */
  async function pretendSize(page: Page, parameters: string): Promise<void> {
    await page.route('**/api/tags', async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(/"parameter_size":"[^"]*"/g, `"parameter_size":"${parameters}"`);
      await route.fulfill({ response, body });
    });
    await page.reload();
    await messageField(page).waitFor();
  }

  /** Answers with a stream, and with a title where none is wanted. */
  async function answerAndTitle(page: Page): Promise<{ titles: number }> {
    const count = { titles: 0 };
    await answerWith(page, { content: 'On trees.' });
    await page.route('**/api/chat', async (route) => {
      if ((route.request().postDataJSON() as { stream: boolean }).stream) return route.fallback();
      count.titles++;
      return route.fulfill({ json: { message: { role: 'assistant', content: '"Growing Apples."' }, done: true } });
    });
    return count;
  }

  test('a large model writes the title in the background, a tiny one is not asked', async () => {
    const page = await browser.open(server.url);
    await pretendSize(page, '7.6B');
    const count = await answerAndTitle(page);
    await ask(page, 'Where do apples grow?');
    await chats(page).getByRole('link', { name: 'Growing Apples' }).waitFor();
    await ask(page, 'And pears?');
    expect(count.titles).toBe(1);
    const other = await browser.open(server.url);
    const ofTiny = await answerAndTitle(other);
    await ask(other, 'Where do plums grow?');
    await chats(other).getByRole('link', { name: 'Where do plums grow?' }).waitFor();
    expect(ofTiny.titles).toBe(0);
  });

  test('the settings of the page: theme, model and system prompt of new chats, statistics', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'Yes.' });
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark');
    await page.getByRole('combobox', { name: 'Model for new chats' }).selectOption('ember-eyes');
    await page.getByRole('textbox', { name: 'System prompt for new chats' }).fill('Be brief.');
    await page.getByRole('checkbox', { name: /statistics/ }).uncheck();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'Is it dark?');
    expect((await request).postDataJSON()).toMatchObject({
      model: 'ember-eyes:latest',
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
    });
    expect(await answers(page).locator('.stats').count()).toBe(0);
  });

  test('a question mark shows the shortcuts, but not in a text', async () => {
    const page = await browser.open(server.url);
    await messageField(page).press('?');
    await messageField(page).blur();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await messageField(page).inputValue()).toBe('?');
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await messageField(page).press('Control+/');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  test('one chat is exported as Markdown and as JSON, which can be imported', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'On **trees**.' });
    await ask(page, 'Where do cherries grow?');
    const save = async (name: string): Promise<string> => {
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^Where-do-cherries-grow\.(md|json)$/);
      return download.path();
    };
    await page.getByRole('button', { name: 'Chat settings' }).click();
    expect(readFileSync(await save('Export as Markdown'), 'utf8')).toContain(
      '## You\n\nWhere do cherries grow?\n\n## ember',
    );
    const file = await save('Export as JSON');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Manage chats' }).click();
    await page.getByLabel('File with chats').setInputFiles(file);
    await page.getByText('0 chats imported. One existed already.').waitFor();
  });

  test('an export of ChatGPT is imported, and a file without chats says so', async () => {
    const page = await browser.open(server.url);
    const give = (value: unknown) =>
      page
        .getByLabel('File with chats')
        .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) });
    await page.getByRole('button', { name: 'Manage chats' }).click();
    await give({ chats: [] });
    await page.getByText('The file has no chats.').waitFor();
    const message = (role: string, text: string) => ({ author: { role }, content: { parts: [text] } });
    const mapping = {
      q: { parent: null, message: message('user', 'Where do figs grow?') },
      a: { parent: 'q', message: message('assistant', 'In warm countries.') },
    };
    await give([{ title: 'Figs', create_time: 1_700_000_000, current_node: 'a', mapping }]);
    await page.getByText('One chat imported.').waitFor();
    await page.keyboard.press('Escape');
    await chats(page).getByRole('link', { name: 'Figs' }).click();
    await answers(page).getByText('In warm countries.').waitFor();
  });

  test('a chat is renamed, pinned, filed, deleted and restored, and another tab follows', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'In the south.' });
    await ask(page, 'Where do lemons grow?');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await answers(other).getByText('In the south.').waitFor();
    const act = async (title: string, action: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions for ${title}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await act('Where do lemons grow?', 'Rename');
    await page.getByRole('textbox', { name: 'Chat title' }).fill('Lemons');
    await page.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'Lemons' }).waitFor();
    await act('Lemons', 'Move to folder…');
    await page.getByRole('combobox', { name: 'Folder' }).fill('Fruit');
    await page.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'Fruit' }).waitFor();
    await act('Lemons', 'Pin');
    await other.getByRole('heading', { name: 'Pinned' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await ask(page, 'And limes?');
    await answers(other).nth(1).waitFor();
    await chats(page).getByRole('link', { name: 'Lemons' }).press('Delete');
    await page.getByText('Chat deleted.').waitFor();
    await chats(other).getByRole('link', { name: 'Lemons' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await chats(other).getByRole('link', { name: 'Lemons' }).waitFor();
    await page.getByRole('heading', { name: 'Pinned' }).waitFor();
  });

  test('many chats are deleted at once', async () => {
    for (const name of ['melon-one', 'melon-two', 'other-one'])
      await fetch(`${server.url}/api/chats/${name}`, { method: 'PUT', body: JSON.stringify({ title: name }) });
    const page = await browser.open(server.url);
    await page.getByRole('button', { name: 'Manage chats' }).click();
    await page.getByRole('searchbox', { name: 'Filter by title or folder' }).fill('melon');
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await page.getByText('2 chats deleted.').waitFor();
    expect(await chats(page).getByRole('link', { name: 'melon' }).count()).toBe(0);
    await chats(page).getByRole('link', { name: 'other-one' }).waitFor();
  });

  test('an answer is edited, the chat is copied up to it, a message is deleted', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'On trees.' });
    await ask(page, 'Where do pears grow?');
    await ask(page, 'And quinces?');
    const act = async (place: number, action: string): Promise<void> => {
      await answers(page).nth(place).getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await act(1, 'Edit answer');
    await page.getByRole('textbox', { name: 'Edited message' }).fill('On small trees.');
    await page.getByRole('button', { name: 'Save' }).click();
    await answers(page).nth(1).getByText('2 / 2').waitFor();
    await act(0, 'Copy chat up to here');
    await page.getByRole('heading', { name: 'Where do pears grow? (copy)' }).waitFor();
    expect(await answers(page).count()).toBe(1);
    await page.goBack();
    await answers(page).getByText('On small trees.').waitFor();
    await act(0, 'Delete');
    await page.getByText('The 3 messages that follow it are deleted, too.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => page.locator('article').count()).toBe(1);
    await page.reload();
    await page.locator('article').waitFor();
    expect(await page.locator('article').count()).toBe(1);
  });

  test('settings are saved as a preset for new chats, and a slash inserts a prompt', async () => {
    const page = await browser.open(server.url);
    await page.getByRole('button', { name: 'Chat settings' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer like a pirate.');
    await page.getByRole('spinbutton', { name: 'Temperature' }).fill('0.5');
    await page.getByRole('textbox', { name: 'Preset name' }).fill('Pirate');
    await page.getByRole('button', { name: 'Save as preset' }).click();
    await page.getByText('Saved as “Pirate”.').waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('button', { name: 'Pirate' }).click();
    await messageField(page).press('/');
    await page.getByRole('button', { name: 'Manage presets and prompts' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Sum up');
    await page.getByRole('textbox', { name: 'Text' }).fill('Sum up {{this}} in a line.');
    await page.getByRole('button', { name: 'Add prompt' }).click();
    await page.getByRole('button', { name: 'Edit the prompt Sum up' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await messageField(page).fill('/su');
    await page.getByRole('option', { name: /^Sum up/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await messageField(page).press('Enter');
    await expect.poll(() => page.evaluate('getSelection().toString()')).toBe('{{this}}');
    await page.keyboard.type('it');
    await answerWith(page, { content: 'Arr.' });
    const request = page.waitForRequest('**/api/chat');
    await messageField(page).press('Enter');
    expect((await request).postDataJSON()).toMatchObject({
      messages: [{ content: 'Answer like a pirate.' }, { content: 'Sum up it in a line.' }],
      options: { temperature: 0.5 },
    });
    await answered(page);
  });

  test('a search shows the place in a message', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'Dates grow on palms in hot countries.' });
    await ask(page, 'Where?');
    await page.keyboard.press('Control+K');
    await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('PALMS');
    await page.getByRole('button', { name: /Dates grow on palms in hot countries/ }).waitFor();
    expect(await page.locator('mark').allInnerTexts()).toEqual(['palms']);
  });

  test('a temporary chat is not stored, and is gone when the user leaves it', async () => {
    const page = await browser.open(server.url);
    await answerWith(page, { content: 'Nobody will know.' });
    await page.getByRole('button', { name: 'Temporary chat' }).click();
    await page.getByText('It is not stored').waitFor();
    const storing: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') storing.push(request.url());
    });
    await ask(page, 'Can you keep a secret?');
    await page.getByText('Temporary', { exact: true }).waitFor();
    expect(await chats(page).getByRole('link', { name: 'secret' }).count()).toBe(0);
    await page.getByRole('link', { name: 'New chat' }).click();
    await page.getByRole('heading', { name: 'New chat' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Temporary chat' }).waitFor();
    expect([await page.locator('article').count(), storing]).toEqual([0, []]);
  });

  test('an answer that repeats itself ends, and so does one that is longer than the settings allow', async () => {
    const page = await browser.open(server.url);
    await page.evaluate(`{
      const original = window.fetch;
      let count = 0;
      window.toLine = () => 'The same line.\\n';
      window.toOtherLine = () => 'word' + count++ + ' ';
      window.fetch = (path, options) => {
        if (path !== '/api/chat') return original(path, options);
        const pull = (stream) => {
          const part = { model: 'ember', created_at: '', message: { role: 'assistant', content: toLine() } };
          stream.enqueue(new TextEncoder().encode(JSON.stringify({ ...part, done: false }) + '\\n'));
        };
        return Promise.resolve(new Response(new ReadableStream({ pull })));
      };
    }`);
    await ask(page, 'Go on.');
    await answers(page).getByText('because it kept repeating itself').waitFor();
    await page.getByRole('button', { name: 'Continue the answer' }).waitFor();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('spinbutton', { name: /Maximum answer length/ }).fill('50');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.evaluate('toLine = toOtherLine');
    await ask(page, 'Go on with other words.');
    await answers(page).getByText('because it reached the length limit in Settings').waitFor();
  });

  test('a chat that is still answering has a mark in the sidebar', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'endless');
    await send(page, 'Without an end.');
    await expect.poll(() => growingText(page)).not.toBe('');
    await page.getByRole('link', { name: 'New chat' }).click();
    const mark = chats(page).getByRole('img', { name: 'Answering' });
    await mark.waitFor();
    await chats(page)
      .getByRole('link', { name: /Without an end/ })
      .click();
    await page.locator('article.growing').waitFor();
    await page.keyboard.press('Escape');
    await mark.waitFor({ state: 'detached' });
  });
});
