// Collections on the web page, with a real server, real models and a real browser.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { writeEndlessPattern, writePdf } from '../support/documents/write-pdf.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { answers, ask } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const ferries = {
  name: 'ferries.pdf',
  mimeType: 'application/pdf',
  buffer: writePdf([['Ferries leave at seven.'], ['Tickets cost four crowns.', 'Dogs travel free.']]),
};
const piers = { name: 'piers.md', mimeType: 'text/markdown', buffer: Buffer.from('There are two piers.') };
const broken = { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 and nothing else') };
// The answer is held by a format, so that a model of any size cites.
const format = { type: 'object', properties: { answer: { const: 'Four crowns [1].' } }, required: ['answer'] };

/** In shares of the width and height. */
type Area = readonly [left: number, top: number, right: number, bottom: number];

/** The area of all lines that are marked. */
function markedArea(page: Page): Promise<Area> {
  return page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector('dialog[open] svg:has(rect)').getBBox();
    return [x, y, x + width, y + height];
  })()`);
}

/** How many pixels of the drawn page have letters, in an area of it. */
function darkPixels(page: Page, area: Area = [0, 0, 1, 1]): Promise<number> {
  return page.evaluate(`(([left, top, right, bottom]) => {
    const shown = document.querySelector('dialog[open] canvas');
    const { width, height } = shown;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(shown, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let count = 0;
    for (let y = Math.floor(top * height); y < bottom * height; y++)
      for (let x = Math.floor(left * width); x < right * width; x++)
        if (data[4 * (y * width + x)] < 128) count++;
    return count;
  })(${JSON.stringify(area)})`);
}

describe.skipIf(browserPath === undefined)('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-files-'));
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer({ store: folder });
    const path = join(folder, 'bert.gguf');
    writeBert(path, randomBertWeights(1), 'mean');
    await addModel(server.store, 'bert', readFileSync(path));
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function createHarbor(name: string): Promise<Page> {
    const page = await browser.open(`${server.url}/#/files`);
    await page.getByRole('textbox', { name: 'Name of the new collection' }).fill(name);
    await expect.poll(() => page.getByRole('combobox', { name: 'Embedding model' }).inputValue()).toBe('bert:latest');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name }).waitFor();
    return page;
  }

  test('files are added, indexed, searched and deleted', async () => {
    const page = await createHarbor('Harbor');
    await page.getByLabel('Files to add').setInputFiles([ferries, broken, piers]);
    await page.getByText('2 pages · 2 passages').waitFor();
    await page.getByText('it is no valid PDF file').waitFor();
    await page.getByText('3 of 3 passages are indexed').waitFor();
    await page.getByRole('searchbox', { name: 'Search this collection' }).fill('What do tickets cost?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'ferries.pdf, page 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'ferries.pdf, page 2' });
    expect(await dialog.locator('mark').innerText()).toContain('Tickets cost four crowns.');
    await dialog.getByRole('img', { name: 'ferries.pdf, page 2' }).waitFor();
    await expect.poll(() => dialog.locator('svg rect').count()).toBe(2);
    expect(await darkPixels(page)).toBeGreaterThan(100);
    expect(await darkPixels(page, await markedArea(page))).toBe(await darkPixels(page));
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete piers.md' }).click();
    await page.getByText('2 of 2 passages are indexed').waitFor();
    await page.getByRole('link', { name: 'Files' }).first().click();
    await page.getByText('1 file · 2 passages · bert').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete Harbor' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There are no collections yet.').waitFor();
  });

  test('a chat answers from a collection, and shows the page that it cites', async () => {
    const page = await createHarbor('Timetables');
    await page.getByLabel('Files to add').setInputFiles([ferries]);
    await page.getByText('2 pages · 2 passages').waitFor();
    await page.goto(`${server.url}/#/`);
    await page.getByRole('button', { name: 'Chat settings' }).click();
    await page.getByRole('checkbox', { name: 'Timetables' }).check();
    await page.getByRole('textbox', { name: 'Answer format' }).fill(JSON.stringify(format));
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await ask(page, 'What do tickets for two dogs cost?');
    const source = page.getByRole('list', { name: 'Sources' }).getByRole('button');
    expect(await source.allInnerTexts()).toEqual(['[1] ferries.pdf, page 2']);
    expect(await answers(page).last().innerText()).toContain('Four crowns [1].');
    expect(await findBarriers(page)).toEqual([]);
    await page.reload();
    await source.click();
    expect(await page.locator('dialog mark').innerText()).toContain('Dogs travel free.');
    await page.getByRole('button', { name: 'Close' }).click();
    // The conversation keeps the passage of a file that is gone.
    const { collections } = (await (await fetch(`${server.url}/api/collections`)).json()) as {
      readonly collections: readonly { readonly id: string }[];
    };
    for (const { id } of collections) await fetch(`${server.url}/api/collections/${id}`, { method: 'DELETE' });
    await source.click();
    expect(await page.locator('dialog mark').innerText()).toContain('Dogs travel free.');
  });

  test('a hostile PDF file is shown as its text', async () => {
    const page = await createHarbor('Storms');
    const hostile = { ...ferries, name: 'hostile.pdf', buffer: writeEndlessPattern('Storms come at night.') };
    await page.getByLabel('Files to add').setInputFiles([hostile]);
    await page.getByText('1 page · 1 passage').waitFor();
    await page.getByRole('searchbox', { name: 'Search this collection' }).fill('When do storms come?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'hostile.pdf, page 1' }).click();
    await page.getByText('The page cannot be shown.').waitFor();
    expect(await page.locator('dialog mark').innerText()).toBe('Storms come at night.');
    await expect.poll(() => page.workers().length).toBe(0);
  });
});
