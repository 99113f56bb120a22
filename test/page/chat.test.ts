// The chat of the web page, with a real server and a real browser.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser, type TestBrowser } from '../support/browser.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { addModel, endlessEmber } from '../support/models/endless-ember.ts';
import { answered, answers, ask, chooseModel, messageField, questions } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

describe.skipIf(browserPath === undefined)('chat', () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer();
    await addModel(server.store, 'endless', endlessEmber());
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test('a conversation: two questions and their answers, with statistics', async () => {
    const page = await browser.open(server.url);
    await ask(page, 'What is the capital of France?');
    await ask(page, 'And of Germany?');
    expect(await questions(page).allInnerTexts()).toEqual(['What is the capital of France?', 'And of Germany?']);
    expect(await answers(page).count()).toBe(2);
    for (const text of await answers(page).locator('.markdown').allInnerTexts()) expect(text).not.toBe('');
    expect(await answers(page).last().locator('.stats').innerText()).toMatch(/tokens\/s[^]*prompt \d+/);
    expect(await page.getByRole('img', { name: /tokens of the context are used/ }).count()).toBe(1);
    expect(await page.getByRole('link', { name: 'What is the capital of France?' }).count()).toBe(1);
    expect(page.url()).toMatch(/#\/chat\/[0-9a-f]{24}$/);
  });

  test('an answer is stopped with a button and with Escape, and continued', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'endless');
    const growing = page.locator('article.growing .markdown');
    await messageField(page).fill('Go on.');
    await messageField(page).press('Enter');
    await expect.poll(() => growing.innerText()).not.toBe('');
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await answered(page);
    const text = await answers(page).last().locator('.markdown').innerText();
    expect(text).not.toBe('');
    await page.getByRole('button', { name: 'Continue the answer' }).click();
    await expect.poll(async () => (await growing.innerText()).length).toBeGreaterThan(text.length);
    await page.keyboard.press('Escape');
    await answered(page);
    expect(await answers(page).count()).toBe(1);
  });

  test('an edited question and a regenerated answer are branches', async () => {
    const page = await browser.open(server.url);
    await ask(page, 'What is 2 + 2?');
    await questions(page).first().hover();
    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.getByRole('textbox', { name: 'Edited message' }).fill('What is 3 + 3?');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await questions(page).getByText('What is 3 + 3?').waitFor();
    await answered(page);
    expect(await questions(page).allInnerTexts()).toEqual([expect.stringMatching(/What is 3 \+ 3\?\s+2 \/ 2/)]);
    await page.getByRole('button', { name: 'Previous version' }).click();
    await questions(page).getByText('What is 2 + 2?').waitFor();
    await page.getByRole('button', { name: 'Generate again' }).click();
    await answers(page).getByText('2 / 2').waitFor();
    expect(await answers(page).count()).toBe(1);
  });

  test('an image is shown in the question and sent to a model that sees', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'ember-eyes');
    const buffer = drawPng({ shape: 'circle', color: colors.red });
    await page.locator('input[type=file]').setInputFiles({ name: 'shape.png', mimeType: 'image/png', buffer });
    await page.getByRole('img', { name: 'shape.png' }).waitFor();
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'Describe the image.');
    const { messages } = (await request).postDataJSON() as { messages: { images?: string[] }[] };
    expect(messages[0]?.images).toEqual([buffer.toString('base64')]);
    expect(await questions(page).getByRole('img').count()).toBe(1);
    expect(await answers(page).locator('.markdown').innerText()).not.toBe('');
  });

  test('a model that does not see is named before the image is sent', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'ember');
    const buffer = drawPng({ shape: 'circle', color: colors.red });
    await page.locator('input[type=file]').setInputFiles({ name: 'shape.png', mimeType: 'image/png', buffer });
    await page.getByText('cannot see images').waitFor();
  });

  test('a text file is part of the question', async () => {
    const page = await browser.open(server.url);
    const file = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('The apples are ripe.\n') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('letter.txt').waitFor();
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'What is ripe?');
    const { messages } = (await request).postDataJSON() as { messages: { content: string }[] };
    expect(messages[0]?.content).toBe('File letter.txt:\n```\nThe apples are ripe.\n```\n\nWhat is ripe?');
  });

  test('the settings of a chat are part of its requests', async () => {
    const page = await browser.open(server.url);
    await page.getByRole('button', { name: 'Settings of this chat' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer in one word.');
    await page.getByRole('spinbutton', { name: 'Answer length' }).fill('8');
    await page.getByRole('textbox', { name: 'Format of answers' }).fill('{"type": "object"');
    await page.getByRole('textbox', { name: 'Format of answers' }).blur();
    await page.getByText('Not JSON').waitFor();
    await page.getByRole('textbox', { name: 'Format of answers' }).fill('json');
    await page.keyboard.press('Escape');
    const request = page.waitForRequest('**/api/chat');
    await ask(page, 'Who are you?');
    expect((await request).postDataJSON()).toMatchObject({
      messages: [{ role: 'system', content: 'Answer in one word.' }, { role: 'user' }],
      options: { num_predict: 8 },
      format: 'json',
    });
  });

  test('an error of the server is shown, and the question can be asked again', async () => {
    const page = await browser.open(server.url);
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
});
