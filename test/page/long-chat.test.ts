// A conversation with 1,000 messages on a slow machine: a browser whose processor is four times slower.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser, type TestBrowser } from '../support/browser.ts';
import { answers, messageField } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const paragraph = 'A sentence with **bold** text, a [link](https://example.com/) and `code`. '.repeat(4);
const answer = `${paragraph}\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`python\ndef answer():\n    return 42\n\`\`\``;

/** Questions and answers in turns. */
function chatOf(count: number) {
  const messages = Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    parent: index === 0 ? null : `m${index - 1}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: index % 2 === 0 ? `Question ${index}` : `Answer ${index}. ${answer}`,
    created_at: '2026-01-01T00:00:00Z',
  }));
  return { title: `Chat of ${count}`, model: 'ember:latest', messages, leaf: `m${count - 1}` };
}

const long = 1000;
const short = 10;

describe.skipIf(browserPath === undefined)('a long conversation', () => {
  let server: TestServer;
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    server = await startServer();
    for (const count of [short, long])
      await fetch(`${server.url}/api/chats/chat-of-${count}`, { method: 'PUT', body: JSON.stringify(chatOf(count)) });
    browser = await startBrowser();
    page = await browser.open(server.url);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    // What both conversations need is loaded before the first measurement.
    await open(page, short);
    await answers(page).locator('.hl-keyword').first().waitFor();
  });
  afterAll(async () => {
    await browser.check();
    await browser.close();
    await server.stop();
  });

  test('opens without rendering what is not near the view, in a small multiple of the time of a short one', async () => {
    const times = { short: await open(page, short), long: await open(page, long) };
    console.info(`opening at a quarter of the speed: ${describeTimes(times)}`);
    expect(await page.locator('article').count()).toBe(long);
    expect(await page.locator('.markdown').count()).toBeLessThan(60);
    expect(await page.locator('article *').count()).toBeLessThan(4 * long);
    expect(times.long).toBeLessThan(20 * times.short);
    await answers(page).first().scrollIntoViewIfNeeded();
    await answers(page).first().locator('.markdown').waitFor();
  });

  test('a key takes as long as in a short one', async () => {
    await open(page, short);
    const times = { short: await timeOfKey(page), long: 0 };
    await open(page, long);
    times.long = await timeOfKey(page);
    console.info(`a key at a quarter of the speed: ${describeTimes(times)}`);
    // Both are a few milliseconds: what one of them could be longer by chance is added.
    expect(times.long).toBeLessThan(3 * times.short + 16);
  });
});

/** Milliseconds from the click until the end of the conversation has been painted. */
async function open(page: Page, count: number): Promise<number> {
  await page.getByRole('link', { name: 'New chat' }).click();
  await page.getByRole('heading', { name: 'What can I help with?' }).waitFor();
  return page.evaluate(`new Promise((resolve) => {
    const started = performance.now();
    [...document.querySelectorAll('.chat-list a')].find((link) => link.textContent === 'Chat of ${count}').click();
    const check = () => {
      if (document.querySelectorAll('article').length !== ${count}) return requestAnimationFrame(check);
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
    };
    check();
  })`);
}

/** The median of the milliseconds from a key until its letter has been laid out. */
async function timeOfKey(page: Page): Promise<number> {
  await messageField(page).focus();
  return page.evaluate(`(async () => {
    const field = document.querySelector('.composer textarea');
    const times = [];
    for (let count = 0; count < 60; count++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const started = performance.now();
      field.setRangeText('x', field.value.length, field.value.length, 'end');
      field.dispatchEvent(new InputEvent('input', { bubbles: true, data: 'x', inputType: 'insertText' }));
      // The page renders in a microtask.
      await new Promise((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
      document.querySelector('.messages').getBoundingClientRect();
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[30];
  })()`);
}

function describeTimes({ short: few, long: many }: { readonly short: number; readonly long: number }): string {
  return `${short} messages ${few.toFixed(1)} ms, ${long} messages ${many.toFixed(1)} ms`;
}
