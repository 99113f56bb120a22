// The view of what the server does now, with a real server and a real browser.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const rows = (page: Page): Locator => page.getByRole('list', { name: /^Requests/ }).getByRole('listitem');

describe.skipIf(browserPath === undefined)('now', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-now-'));
  let browser: TestBrowser;
  let server: TestServer;
  beforeAll(async () => {
    const environment = { HEARTH_NUM_PARALLEL: '1', HEARTH_REQUEST_LOG: '5' };
    server = await startServer({ environment });
    await addEndlessModel(server.store, 'endless');
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const generate = async (tokens: number): Promise<string> => {
    const body = JSON.stringify({ model: 'endless', prompt: 'Go on.', options: { num_predict: tokens } });
    return (await fetch(`${server.url}/api/generate`, { method: 'POST', body })).text();
  };
  const states = async (): Promise<string[]> => {
    const { requests } = (await (await fetch(`${server.url}/api/activity`)).json()) as ActivityResponseBody;
    return requests.map(({ state, position = 0 }) => `${state} ${position}`);
  };

  test('the queue is shown under load, and its requests can be canceled', async () => {
    const answers = [generate(1_000_000)];
    await expect.poll(states).toEqual(['running 0']);
    answers.push(generate(1_000_000));
    await expect.poll(states).toEqual(['running 0', 'waiting 1']);
    answers.push(generate(1_000_000));
    await expect.poll(states).toEqual(['running 0', 'waiting 1', 'waiting 2']);

    const page = await browser.open(`${server.url}/#/now`);
    await page.getByRole('heading', { name: 'Requests, 2 waiting' }).waitFor();
    const badges = () => rows(page).locator('.badge').allInnerTexts();
    expect(await badges()).toEqual(['running', 'waiting #1', 'waiting #2']);
    const model = page.getByRole('region', { name: 'endless:latest' });
    await model.getByRole('meter', { name: /Slot 1: [\d,]+ of [\d,]+ tokens/ }).waitFor();
    expect(await model.innerText()).toMatch(/Main memory\s+\d+/);
    await expect.poll(() => rows(page).first().innerText()).toMatch(/answer [\d,]+ · [\d.,]+ tokens\/s/);

    await rows(page).nth(1).getByRole('button', { name: 'Cancel the request for endless:latest' }).click();
    await expect.poll(badges).toEqual(['running', 'waiting #1']);
    expect(await answers[1]).toContain('cancelled');
    await rows(page).first().getByRole('button').click();
    await expect.poll(badges).toEqual(['running']);
    await rows(page).first().getByRole('button').click();
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor();
    expect((await Promise.all(answers)).every((answer) => answer.includes('cancelled'))).toBe(true);
  });

  test('the request log is shown where it is on', async () => {
    await generate(3);
    const page = await browser.open(`${server.url}/#/now`);
    const entry = page.getByRole('group').filter({ hasText: 'endless' }).first();
    await entry.locator('summary').click();
    expect(await entry.locator('pre').first().innerText()).toContain('Go on.');
    expect(await page.getByRole('heading', { name: /^Keys/ }).count()).toBe(0);
    const bar = page.getByRole('meter', { name: /^Memory: / }).first();
    const [whole, filled] = [await bar.boundingBox(), await bar.locator('.meter-fill').boundingBox()];
    expect(filled?.height).toBe(whole?.height);
    const percent = Number(await bar.getAttribute('aria-valuenow'));
    expect(((filled?.width ?? 0) / (whole?.width ?? 1)) * 100).toBeCloseTo(percent, 0);
    await page.getByRole('img', { name: /Tokens per second in the last 5 minutes/ }).waitFor();
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
  });

  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('axe finds nothing in %s, and nothing is wider than %d', async (colorScheme, width) => {
    const page = await browser.open(`${server.url}/#/now`, { colorScheme, viewport: { width, height: 800 } });
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  test('keys and their usage are shown to administrators only, who create and revoke them', async () => {
    const own = await startServer({ environment: { HEARTH_KEYS_FILE: join(folder, 'keys.json') } });
    try {
      const post = async (path: string, body: object, key?: string): Promise<Response> =>
        fetch(own.url + path, {
          method: 'POST',
          body: JSON.stringify(body),
          ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
        });
      const create = async (name: string, scope: string, key?: string) =>
        ((await (await post('/api/keys', { name, scope }, key)).json()) as { key: string }).key;
      const anna = await create('anna', 'admin');
      await expect.poll(async () => (await fetch(`${own.url}/api/tags`)).status).toBe(401);
      const bert = await create('bert', 'infer', anna);
      const body = { model: 'ember', prompt: 'Hi', stream: false, options: { num_predict: 2 } };
      await expect.poll(async () => (await post('/api/generate', body, bert)).status).toBe(200);

      const openAs = async (key: string): Promise<Page> => {
        const page = await browser.open(`${own.url}/#/now`);
        await page.getByLabel('Key', { exact: true }).fill(key);
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('heading', { name: 'Devices' }).waitFor();
        return page;
      };
      const ofAdmin = await openAs(anna);
      await ofAdmin.getByRole('row', { name: /^bert infer – 1 0/ }).waitFor();
      expect(await ofAdmin.getByRole('row', { name: /^anna admin/ }).count()).toBe(1);

      await ofAdmin.getByRole('link', { name: 'Keys', exact: true }).click();
      const row = (name: RegExp) => ofAdmin.getByRole('row', { name });
      await row(/^bert infer – .* just now/).waitFor();
      await ofAdmin.getByRole('button', { name: 'Create a key' }).click();
      const form = ofAdmin.getByRole('dialog', { name: 'Create a key' });
      await form.getByLabel('Name').fill('bert');
      await form.getByRole('button', { name: 'Create' }).click();
      await form.getByText('there is already a key "bert"').waitFor();
      await form.getByLabel('Name').fill('carla');
      await form.getByLabel('Tokens per day').fill('5000');
      await form.getByLabel('Expires').selectOption('After 30 days');
      expect(await findBarriers(ofAdmin)).toEqual([]);
      await form.getByRole('button', { name: 'Create' }).click();
      const carla = await ofAdmin.getByRole('textbox', { name: 'Key' }).inputValue();
      await ofAdmin.getByRole('button', { name: 'Done' }).click();
      await row(/^carla infer 5,000 tokens\/day, until \w+ \d+, \d{4} .* never/).waitFor();
      expect(await findBarriers(ofAdmin)).toEqual([]);
      const status = async (): Promise<number> =>
        (await fetch(`${own.url}/api/tags`, { headers: { authorization: `Bearer ${carla}` } })).status;
      await expect.poll(status).toBe(200);
      await ofAdmin.getByRole('button', { name: 'Revoke carla' }).click();
      await ofAdmin.getByRole('button', { name: 'Revoke', exact: true }).click();
      await row(/^carla/).waitFor({ state: 'detached' });
      await expect.poll(status).toBe(401);

      const ofUser = await openAs(bert);
      expect(await ofUser.getByRole('link', { name: 'Keys', exact: true }).count()).toBe(0);
      await ofUser.getByText('Requests from other keys are not shown.').waitFor();
      expect(await ofUser.getByRole('table').count()).toBe(0);
    } finally {
      await own.stop();
    }
  });
});
