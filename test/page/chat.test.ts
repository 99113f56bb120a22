// The chat of the web page, with a real server, real models and a real browser.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser, type TestBrowser } from '../support/browser.ts';
import { writePdf } from '../support/documents/write-pdf.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import {
  answered,
  answers,
  ask,
  chooseModel,
  giveFile,
  growingText,
  messageField,
  questions,
  send,
} from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const picture = { name: 'shape.png', mimeType: 'image/png', buffer: drawPng({ shape: 'circle', color: colors.red }) };

describe.skipIf(browserPath === undefined)('chat', () => {
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

  test('a conversation: two questions and their answers, with statistics', async () => {
    const page = await browser.open(server.url);
    await limitAnswers(page, 30);
    await ask(page, 'What is the capital of France?');
    await ask(page, 'And of Germany?');
    expect(await questions(page).locator('.text').allInnerTexts()).toEqual([
      'What is the capital of France?',
      'And of Germany?',
    ]);
    expect(await answers(page).count()).toBe(2);
    for (const text of await answers(page).locator('.markdown').allInnerTexts()) expect(text).not.toBe('');
    const stats = await answers(page).last().locator('.stats').innerText();
    expect(stats).toMatch(/to first token/);
    expect(stats).toMatch(/tokens\/s/);
    expect(stats).toMatch(/prompt \d+, \d+% cached/);
    expect(await page.getByRole('img', { name: /context tokens used/ }).count()).toBe(1);
    expect(page.url()).toMatch(/#\/chat\/[0-9a-f]{24}$/);

    const other = await browser.open(server.url);
    await other.getByRole('link', { name: 'What is the capital of France?' }).click();
    await expect.poll(() => answers(other).count()).toBe(2);
  });

  test('an answer is stopped with a button and with Escape', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'endless');
    await send(page, 'Go on.');
    await expect.poll(() => growingText(page)).not.toBe('');
    const canceled = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await answered(page);
    expect((await canceled).status()).toBe(200);
    expect(await answers(page).locator('.markdown').innerText()).not.toBe('');
    await page.getByRole('button', { name: 'Generate again' }).click();
    await expect.poll(() => growingText(page)).not.toBe('');
    await page.keyboard.press('Escape');
    await answered(page);
    await answers(page).getByText('2 / 2').waitFor();
  });

  test('an answer that reached its limit is continued', async () => {
    const page = await browser.open(server.url);
    await limitAnswers(page, 8);
    await ask(page, 'Tell me a long story about a fox.');
    const text = await answers(page).locator('.markdown').innerText();
    const request = page.waitForRequest('**/api/chat');
    await page.getByRole('button', { name: 'Continue the answer' }).click();
    const { messages } = (await request).postDataJSON() as { messages: { role: string; content: string }[] };
    expect(messages.at(-1)).toMatchObject({ role: 'assistant' });
    await answered(page);
    expect(await answers(page).count()).toBe(1);
    expect((await answers(page).locator('.markdown').innerText()).slice(0, 10)).toBe(text.slice(0, 10));
  });

  test('an answer goes on while the page is closed, and coming back picks it up', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'endless');
    const stored = page.waitForResponse(
      (response) =>
        response.request().method() === 'PUT' && response.request().postData()?.includes('"request"') === true,
    );
    await send(page, 'Go on.');
    await expect.poll(async () => (await growingText(page)).length).toBeGreaterThan(20);
    const text = await growingText(page);
    await stored;
    await page.reload();
    await expect.poll(async () => (await growingText(page)).length).toBeGreaterThan(text.length + 20);
    expect((await growingText(page)).slice(0, 10)).toBe(text.slice(0, 10));
    await page.keyboard.press('Escape');
    await answered(page);
    expect(await answers(page).count()).toBe(1);
  });

  test('an edited question and a regenerated answer are branches', async () => {
    const page = await browser.open(server.url);
    await limitAnswers(page, 8);
    await ask(page, 'What is 2 + 2?');
    await questions(page).first().hover();
    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.getByRole('textbox', { name: 'Edited message' }).fill('What is 3 + 3?');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await questions(page).getByText('What is 3 + 3?').waitFor();
    await answered(page);
    expect(await questions(page).count()).toBe(1);
    await questions(page).getByText('2 / 2').waitFor();
    await page.getByRole('button', { name: 'Previous version' }).click();
    await questions(page).getByText('What is 2 + 2?').waitFor();
    await page.getByRole('button', { name: 'Generate again' }).click();
    await answers(page).getByText('2 / 2').waitFor();
    expect(await answers(page).count()).toBe(1);
  });

  test('images by file, paste and drop are sent to a model that sees', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'ember-eyes');
    await limitAnswers(page, 12);
    await page.locator('.composer input[type=file]').setInputFiles(picture);
    await giveFile(page, 'paste', { ...picture, name: 'pasted.png' });
    await giveFile(page, 'drop', { ...picture, name: 'dropped.png' });
    for (const name of ['shape.png', 'pasted.png', 'dropped.png']) await page.getByRole('img', { name }).waitFor();
    for (const name of ['pasted.png', 'dropped.png'])
      await page.getByRole('button', { name: `Remove ${name}` }).click();
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'Describe the image.');
    const { messages } = (await request).postDataJSON() as { messages: { images?: string[] }[] };
    expect(messages[0]?.images).toEqual([picture.buffer.toString('base64')]);
    expect(await questions(page).getByRole('img').count()).toBe(1);
    expect(await answers(page).locator('.markdown').innerText()).toMatch(/circle/i);
  });

  test('a model that does not see is named before the image is sent', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'endless');
    await page.locator('.composer input[type=file]').setInputFiles(picture);
    await page.getByText('cannot see images').waitFor();
  });

  test('a PDF is read by the server, and its text is part of the question', async () => {
    const page = await browser.open(server.url);
    await limitAnswers(page, 8);
    const input = page.locator('.composer input[type=file]');
    await input.setInputFiles({ name: 'bad.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') });
    await page.getByText('the document "bad.pdf" cannot be read').waitFor();
    const buffer = writePdf([['The apples are ripe.'], ['So are the pears.']]);
    await input.setInputFiles({ name: 'letter.pdf', mimeType: 'application/pdf', buffer });
    await page.locator('.attachments').getByText('2 pages, 57 characters').waitFor();
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'What is ripe?');
    const { messages } = (await request).postDataJSON() as { messages: { content: string }[] };
    const text = '[Page 1]\nThe apples are ripe.\n\n[Page 2]\nSo are the pears.';
    expect(messages[0]?.content).toBe(`File letter.pdf:\n\`\`\`\n${text}\n\`\`\`\n\nWhat is ripe?`);
    await questions(page).getByText('2 pages').waitFor();
  });

  test('a text file is part of the question, and another file is refused', async () => {
    const page = await browser.open(server.url);
    await limitAnswers(page, 8);
    const input = page.locator('.composer input[type=file]');
    await input.setInputFiles({ name: 'a.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255]) });
    await page.getByText('a.bin is neither an image nor a text file.').waitFor();
    const buffer = Buffer.from('The apples are ripe.\n');
    await input.setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer });
    await page.getByText('letter.txt').waitFor();
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'What is ripe?');
    const { messages } = (await request).postDataJSON() as { messages: { content: string }[] };
    expect(messages[0]?.content).toBe('File letter.txt:\n```\nThe apples are ripe.\n```\n\nWhat is ripe?');
  });

  test('the settings of a chat are part of its requests', async () => {
    const page = await browser.open(server.url);
    await page.getByRole('button', { name: 'Chat settings' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer in one word.');
    await page.getByRole('spinbutton', { name: 'Answer length' }).fill('8');
    const format = page.getByRole('textbox', { name: 'Answer format' });
    await format.fill('{"type": "object"');
    await format.blur();
    await page.getByText('Not JSON').waitFor();
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    await format.fill(JSON.stringify(schema));
    await page.keyboard.press('Escape');
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'Who are you?');
    expect((await request).postDataJSON()).toMatchObject({
      messages: [{ role: 'system', content: 'Answer in one word.' }, { role: 'user' }],
      options: { num_predict: 8 },
      format: schema,
    });
    expect(await answers(page).locator('.markdown').innerText()).toMatch(/^\{/);
  });

  test('an error of the server is shown, and the question can be asked again', async () => {
    const page = await browser.open(server.url);
    await limitAnswers(page, 8);
    await page.route('**/api/chat', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: '{"error":"the queue is full","code":"busy"}',
      }),
    );
    await ask(page, 'Hello');
    await page.getByRole('alert').getByText('the queue is full').waitFor();
    await page.unroute('**/api/chat');
    await page.getByRole('button', { name: 'Generate again' }).click();
    await answers(page).getByText('2 / 2').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a chat is found, exported, deleted and imported', async () => {
    const page = await browser.open(server.url);
    // Too small to write a title, so that the chat keeps its question as one.
    await chooseModel(page, 'ember');
    await limitAnswers(page, 4);
    await ask(page, 'Is rye bread healthy?');
    const link = page.getByRole('link', { name: 'Is rye bread healthy?' });
    await link.waitFor();
    await page.getByRole('button', { name: 'Manage chats' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export chats' }).click();
    const file = await (await downloading).path();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for Is rye bread healthy?' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await link.waitFor({ state: 'detached' });
    await messageField(page).waitFor();
    await page.getByRole('button', { name: 'Manage chats' }).click();
    await page.getByLabel('File with chats').setInputFiles(file);
    await page.getByText(/^One chat imported\. \d+ existed already\.$/).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await link.waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('RYE bread');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Is rye bread healthy/ })
      .waitFor();
    await expect.poll(() => page.getByRole('dialog').locator('li').count()).toBe(1);
    await page.keyboard.press('Enter');
    await answers(page).waitFor();
  });
});

/** Long answers take time, and show nothing more. */
async function limitAnswers(page: Page, tokens: number): Promise<void> {
  await page.getByRole('button', { name: 'Chat settings' }).click();
  await page.getByRole('spinbutton', { name: 'Answer length' }).fill(String(tokens));
  await page.keyboard.press('Escape');
}
