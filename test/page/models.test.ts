// The models of the web page, with a real server, a real registry and a real browser.

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { KeyResponseBody } from '../../src/server/dialects/hearth/status/key-schema.ts';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { generate, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { addModel, endlessEmber } from '../support/models/endless-ember.ts';
import { type FaultProxy, startFaultProxy } from '../support/registry/fault-proxy.ts';
import { startRegistry, type TestRegistry } from '../support/registry/team-registry.ts';
import { startServer, type TestServer } from '../support/server.ts';

if (browserPath === undefined) console.warn('no browser is installed: the tests of the web page are skipped');

const row = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const names = (page: Page): Promise<string[]> => page.locator('.models tbody a').allInnerTexts();

describe.skipIf(browserPath === undefined)('models', () => {
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
  const open = (options = {}): Promise<Page> => browser.open(`${server.url}/#/models`, options);

  test('the list is sorted and filtered, and knows the last use', async () => {
    await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
    const page = await open();
    await expect.poll(() => row(page, 'ember').innerText()).toContain('just now');
    expect(await row(page, 'ember').innerText()).toMatch(/Q4_K_M\s+4[\d.]+M/);
    expect((await names(page))[0]).toBe('ember');
    await page.getByRole('button', { name: 'Model' }).click();
    const sorted = await names(page);
    expect(sorted).toEqual(sorted.toSorted());
    expect(sorted.length).toBeGreaterThan(2);
    await page.getByRole('button', { name: 'Model' }).click();
    expect(await names(page)).toEqual(sorted.toReversed());
    await page.getByRole('combobox', { name: 'Capability' }).selectOption('vision');
    expect(await names(page)).toEqual(['ember-eyes']);
    await page.getByRole('searchbox', { name: 'Filter models' }).fill('nothing');
    await page.getByText('No model matches.').waitFor();
  });

  test('the catalogue is searched, and leads to a chat with a model that is there', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Find a model' }).click();
    await page.getByRole('heading', { name: 'Qwen 3', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search terms' }).fill('llama3.2 small');
    await page.getByText('One model.').waitFor();
    await page.getByRole('button', { name: 'Pull llama3.2:1b' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.goto(`${server.url}/#/models`);
    await page.getByRole('button', { name: 'Chat with ember:latest' }).click();
    await page.getByText('Ember is a small demonstration model').waitFor();
    await page.getByRole('button', { name: 'What is 2 + 2?' }).click();
    await expect.poll(() => page.getByRole('textbox').first().inputValue()).toBe('What is 2 + 2?');
    await page.getByRole('link', { name: 'Get a real model' }).click();
    await page.getByRole('heading', { name: 'Find a model' }).waitFor();
  });

  test('results of evaluations are shown, also of two models next to each other', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Evaluation' }).click();
    await page.getByText('There are no results yet.').waitFor();
    const store = async (model: string, correct: readonly number[], rest = {}): Promise<void> => {
      const categories = ['facts', 'arithmetic', 'JSON'].map((category, index) => ({
        ...{ category, items: 50, correct: correct[index], duration: 60e9, tokens: 1200 },
      }));
      const { status, text } = await post(server.url, '/api/evals', { results: [{ model, categories }], ...rest });
      expect(status, text).toBe(200);
    };
    await store('ember-f16:latest', [36, 24, 21]);
    const figures = { perplexity: 391.8084, perplexity_error: 36.7, same_top: 0.826, same_top_error: 0.0084 };
    const others = { against_perplexity: 382.6651, against_perplexity_error: 35.8, kl_divergence: 0.066082 };
    const comparison = { model: 'ember:latest', against: 'ember-f16:latest', tokens: 2040, ...figures, ...others };
    await store('ember:latest', [34, 19, 20], { comparison: { ...comparison, kl_divergence_error: 0.0011 } });
    await page.reload();
    const table = page.getByRole('table');
    await expect
      .poll(() => table.getByRole('row', { name: /^facts/ }).innerText())
      .toMatch(/68\.0 %.*72\.0 %.*-4\.0 %/s);
    expect(await table.getByRole('row', { name: /^all/ }).innerText()).toMatch(/48\.7 %\s+73\/150/);
    expect(await page.getByRole('region', { name: 'On a text' }).innerText()).toMatch(/391\.8084.*0\.066082.*82\.6 %/s);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Compared with' }).selectOption({ label: 'Compared with no other' });
    await expect.poll(() => table.getByRole('columnheader').count()).toBe(3);
    // The server says why it cannot compare them: one of them does not exist.
    await page.getByRole('combobox', { name: 'Compared with' }).selectOption({ index: 2 });
    await page.getByRole('button', { name: 'Compare again' }).click();
    await page.getByRole('alert').getByText('model "ember-f16:latest" not found').waitFor();
  });

  test('the models of a remote leave the list and the picker with it', async () => {
    const run = (...words: string[]) => hearth(['remote', ...words], { url: server.url });
    expect(await run('add', 'away', '--url', server.url, '--model', 'ember')).toMatchObject({ code: 0 });
    const page = await open();
    await row(page, 'away').waitFor();
    await page.goto(`${server.url}/#/`);
    const picker = page.getByRole('dialog', { name: 'Choose a model' });
    const choice = picker.locator('.choice-title', { hasText: /^away/ });
    const openPicker = () => page.getByRole('button', { name: /Choose (another|a) model/ }).click();
    await openPicker();
    await choice.waitFor();
    await page.keyboard.press('Escape');
    expect(await run('remove', 'away')).toMatchObject({ code: 0 });
    await openPicker();
    await picker.locator('.choice-title').first().waitFor();
    await choice.waitFor({ state: 'detached' });
    await page.goto(`${server.url}/#/models`);
    await row(page, 'ember').waitFor();
    await row(page, 'away').waitFor({ state: 'detached' });
  });

  test('a model is loaded and unloaded', async () => {
    await post(server.url, '/api/generate', { model: 'ember', keep_alive: 0 });
    const page = await open();
    await page.getByRole('button', { name: 'Load ember:latest' }).click();
    await row(page, 'ember').getByText('loaded', { exact: true }).waitFor();
    // Models that share the weights are loaded under the names that answer.
    await generate(server.url, { model: 'ember-thinks', prompt: 'Hi', options: { num_predict: 1 } });
    await row(page, 'ember-thinks').getByText('loaded', { exact: true }).waitFor();
    expect(await row(page, 'ember').getByText('loaded', { exact: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Unload ember:latest' }).click();
    await page.getByRole('button', { name: 'Load ember:latest' }).waitFor();
  });

  test('a model is copied, and deleted after a question', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Copy ember:latest' }).click();
    await page.getByRole('textbox', { name: 'Name of the new model' }).fill('twin');
    await page.keyboard.press('Enter');
    await row(page, 'twin').waitFor();
    await page.getByRole('button', { name: 'Delete twin:latest' }).click();
    const dialog = page.getByRole('dialog');
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    const styleOf = (selector: string, style: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('dialog ${selector}')).${style}`);
    expect(await styleOf('h2', 'color')).toBe(await styleOf('p', 'color'));
    expect(await styleOf('h2', 'fontSize')).toBe(await styleOf('p', 'fontSize'));
    expect(await styleOf('h2', 'fontWeight')).toBe('600');
    await dialog.getByRole('button', { name: 'Close' }).waitFor();
    await cancel.click();
    expect(await row(page, 'twin').count()).toBe(1);
    await page.getByRole('button', { name: 'Delete twin:latest' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await row(page, 'twin').waitFor({ state: 'detached' });
  });

  test('a Modelfile with an error shows it at its line, and creates a model without it', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Create' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('pirate');
    const editor = page.getByRole('textbox', { name: 'Modelfile' });
    await editor.fill('FROM ember\n\nPARAMETER temperature hot\nSYSTEM Talk like a pirate.\n');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('Line 3: invalid float value [hot]').waitFor();
    expect(await page.locator('.editor-mark').innerText()).toContain('invalid float value [hot]');
    expect(await page.evaluate('getSelection().toString()')).toBe('PARAMETER temperature hot');
    await page.keyboard.type('PARAMETER temperature 0.5');
    expect(await page.locator('.editor-mark').count()).toBe(0);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'pirate' }).waitFor();
    await page.getByText('Talk like a pirate.').first().waitFor();
    expect(await page.getByRole('row', { name: /temperature/ }).innerText()).toContain('0.5');
    await page.getByRole('heading', { name: 'Modelfile' }).click();
    await page.getByRole('link', { name: 'Create a model from it' }).click();
    await expect.poll(() => editor.inputValue()).toContain('Talk like a pirate.');
    expect(await editor.inputValue()).toMatch(/^FROM pirate\n/);
  });

  test('the details have the template and the metadata', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'ember', exact: true }).click();
    await page.getByText('Template', { exact: true }).click();
    await page.locator('.part pre').first().waitFor();
    await page.getByText('Metadata', { exact: true }).click();
    await page.getByRole('row', { name: /general\.architecture/ }).waitFor();
    await page.getByRole('link', { name: 'Models' }).first().click();
    await row(page, 'ember').waitFor();
  });

  test.each(['light', 'dark'] as const)('axe finds nothing in %s', async (colorScheme) => {
    const page = await open({ colorScheme });
    await row(page, 'ember').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'ember', exact: true }).click();
    await page.getByText('Metadata', { exact: true }).click();
    expect(await findBarriers(page)).toEqual([]);
    await page.goto(`${server.url}/#/create`);
    await page.getByRole('textbox', { name: 'Name' }).fill('bad');
    await page.getByRole('textbox', { name: 'Modelfile' }).fill('FROM ember\nCOLOR red\n');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('Line 2').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('nothing is wider than a phone', async () => {
    const page = await open({ viewport: { width: 360, height: 740 }, hasTouch: true });
    await row(page, 'ember').waitFor();
    for (const address of ['#/models', '#/models/ember:latest', '#/create', '#/connect']) {
      await page.goto(`${server.url}/${address}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([address, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([address, 360]);
    }
  });
});

describe.skipIf(browserPath === undefined)('pulls', () => {
  let server: TestServer;
  let browser: TestBrowser;
  let registry: TestRegistry;
  let proxy: FaultProxy;
  let digest: string;
  let size: number;
  const model = (): string => `${proxy.host}/team/endless`;
  beforeAll(async () => {
    [server, registry, browser] = await Promise.all([startServer(), startRegistry(), startBrowser()]);
    proxy = await startFaultProxy(registry.url);
    const response = await fetch(`${server.url}/api/key`);
    registry.register(((await response.json()) as KeyResponseBody).public_key);
    // Only the pull goes through the proxy.
    const pushed = `${registry.host}/team/endless`;
    ({ digest, size } = await addModel(server.store, pushed, endlessEmber()));
    const { text } = await post(server.url, '/api/push', { model: pushed, insecure: true });
    expect(text).toContain('"success"');
    await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: pushed }) });
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser.close();
    await proxy.stop();
    await Promise.all([server.stop(), registry.stop()]);
  });
  const start = async (name: string): Promise<Page> => {
    const page = await browser.open(`${server.url}/#/models`);
    await page.getByRole('textbox', { name: 'Name of a model to pull' }).fill(name);
    await page.getByRole('checkbox', { name: 'The registry does not use TLS' }).check();
    await page.getByRole('button', { name: 'Pull' }).click();
    return page;
  };

  test('a pull shows its progress, is paused, survives the page, and continues where it was', async () => {
    // The download stops in the middle.
    proxy.plan(({ path }) => (path.includes(digest) ? { kind: 'stall', afterBytes: 8_000_000 } : undefined));
    const page = await start(model());
    const bar = page.getByRole('progressbar', { name: `Progress of ${model()}` });
    await expect.poll(async () => Number(await bar.getAttribute('value'))).toBeGreaterThan(1_000_000);
    // The pull belongs to the server: it goes on without the page, and other tabs show it.
    await page.reload();
    const other = await browser.open(`${server.url}/#/models`);
    await other.getByRole('button', { name: `Pause ${model()}` }).waitFor();
    await other.close();
    await page.getByRole('button', { name: `Pause ${model()}` }).click();
    await page.getByText('Paused').waitFor();
    await page.reload();
    await page.getByText('Paused').waitFor();
    proxy.plan(() => undefined);
    proxy.reset();
    await page.getByRole('button', { name: `Resume ${model()}` }).click();
    await page.getByText('Ready to use.').waitFor();
    expect(proxy.bytesDown(digest)).toBeGreaterThan(0);
    expect(proxy.bytesDown(digest)).toBeLessThan(size);
    await row(page, model()).waitFor();
    await page.getByRole('button', { name: `Dismiss ${model()}` }).click();
    await expect.poll(() => bar.count()).toBe(0);
  });

  test('a pull that fails says why, also after a reload, and is removed', async () => {
    const name = `${proxy.host}/team/nothing`;
    const page = await start(name);
    await page.getByRole('alert').getByText('manifest').waitFor();
    await page.reload();
    await page.getByRole('alert').getByText('manifest').waitFor();
    await page.getByRole('button', { name: `Dismiss ${name}` }).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.reload();
    await page.getByRole('textbox', { name: 'Name of a model to pull' }).waitFor();
    expect(await page.getByText(name).count()).toBe(0);
  });

  test('an invalid name is refused, and is no pull', async () => {
    const page = await start('no such: name');
    await page.getByRole('alert').getByText('invalid').waitFor();
    expect(await page.locator('.pull-row').count()).toBe(0);
  });
});
