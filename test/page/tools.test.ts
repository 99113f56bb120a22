// Tools in the chat of the web page: a real server, real MCP servers, a real model with set weights, a real browser.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { addCallingModel } from '../support/models/calling-model.ts';
import { answered, answers, ask, chooseModel, send } from '../support/page-actions.ts';
import { startServer, type TestServer } from '../support/server.ts';

const script = join(import.meta.dirname, '../support/mcp/stdio-server.mjs');
const program = (kind: string) => ({ command: process.execPath, args: [script, kind] });

describe.skipIf(browserPath === undefined)('tools', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-tools-'));
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    const path = join(folder, 'mcp.json');
    const kinds = {
      echoes: 'good',
      failing: 'failing',
      injecting: 'injected',
      broken: 'failing-start',
      huge: 'huge-result',
    };
    const mcpServers = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, program(kind)]));
    writeFileSync(path, JSON.stringify({ mcpServers }));
    const environment = { HEARTH_MCP_CONFIG: path, HEARTH_BUILTIN_TOOLS: 'run_javascript', HEARTH_MCP_CALLS: '2' };
    server = await startServer({ environment });
    await addCallingModel(server.store, 'calling');
    browser = await startBrowser();
  });
  afterEach(() => browser.check());
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Tools' });
  const card = (page: Page): Locator => page.locator('.tool-card').last();
  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
  const lastText = (page: Page): Promise<string> => answers(page).last().locator('.markdown').last().innerText();

  async function openTools(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Tools/ }).click();
    await dialog(page).getByRole('checkbox', { name: 'echoes' }).waitFor();
  }

  /** A new chat with the tools of one server. */
  async function openChat(name: string): Promise<Page> {
    const page = await browser.open(server.url);
    await chooseModel(page, 'calling');
    await openTools(page);
    await dialog(page).getByRole('checkbox', { name, exact: true }).check();
    await button(page, 'Close').click();
    return page;
  }

  test('the tools of a chat are those of the servers that are on, and errors are shown', async () => {
    const page = await openChat('echoes');
    await page.getByRole('button', { name: 'Tools: echoes' }).waitFor();
    await openTools(page);
    expect(await dialog(page).getByRole('checkbox').count()).toBe(6);
    await dialog(page).getByLabel('builtin', { exact: true }).first().getByText('run_javascript').waitFor();
    await dialog(page)
      .getByText(/a library is missing/)
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog(page).getByRole('checkbox', { name: 'echoes' }).uncheck();
    await dialog(page).getByRole('checkbox', { name: 'broken' }).check();
    await button(page, 'Close').click();
    await ask(page, 'Use the tool.');
    await page
      .getByRole('alert')
      .getByText(/"broken" cannot be used/)
      .waitFor();
  });

  test('a model without tools has no button for them', async () => {
    const page = await browser.open(server.url);
    await chooseModel(page, 'calling');
    await page.getByRole('button', { name: 'Tools', exact: true }).waitFor();
    await page.route('**/api/chat', (route) => {
      expect(route.request().postDataJSON()).not.toHaveProperty('mcp');
      return route.continue();
    });
    await ask(page, 'Use the tool.');
    expect(await page.locator('.tool-card').count()).toBe(0);
  });

  test('a call asks, shows its arguments, runs once, and the model goes on; the next one asks again', async () => {
    const page = await openChat('echoes');
    await ask(page, 'Use the tool.');
    await button(page, 'Allow once').waitFor();
    expect(await card(page).getByLabel('Arguments').innerText()).toContain('"text": "cobalt"');
    expect(await card(page).getByLabel('Result').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Allow once').click();
    await card(page).getByLabel('Result').waitFor({ state: 'attached' });
    await answered(page);
    await card(page).locator('summary').click();
    expect(await card(page).getByLabel('Result').innerText()).toBe('echo: cobalt');
    expect(await lastText(page)).toBe('The tool said cobalt');
    expect(await findBarriers(page)).toEqual([]);

    // The calls are part of the conversation.
    await expect
      .poll(async () => (await storedCalls(page))[0])
      .toMatchObject({ result: 'echo: cobalt', approved: true });
    await page.reload();
    await card(page).getByText('echoes').waitFor();
    await button(page, 'Generate again').click();
    await button(page, 'Allow once').waitFor();
  });

  test('a call that is not allowed does not run, and the model is told', async () => {
    const page = await openChat('echoes');
    await ask(page, 'Use the tool.');
    const request = page.waitForRequest('**/api/chat');
    await button(page, 'Do not allow').click();
    const { messages } = (await request).postDataJSON() as { messages: { mcp_calls?: { approved?: boolean }[] }[] };
    expect(messages.at(-1)?.mcp_calls).toMatchObject([{ approved: false }]);
    await card(page).getByText('Not allowed').waitFor();
    await answered(page);
    expect(await card(page).getByLabel('Result').count()).toBe(0);
  });

  test('a tool can be allowed always and never, and both can be taken back', async () => {
    const page = await openChat('echoes');
    await ask(page, 'Use the tool.');
    await button(page, 'Always allow').click();
    await expect.poll(() => lastText(page)).toBe('The tool said cobalt');
    await button(page, 'Generate again').click();
    await answers(page).getByText('2 / 2').waitFor();
    await answered(page);
    await card(page).getByLabel('Result').waitFor({ state: 'attached' });

    await openTools(page);
    const choice = dialog(page).getByLabel('echoes', { exact: true }).getByRole('combobox');
    expect(await choice.inputValue()).toBe('always');
    await choice.selectOption('never');
    await button(page, 'Close').click();
    const request = page.waitForRequest('**/api/chat');
    await button(page, 'Generate again').click();
    expect((await request).postDataJSON()).toMatchObject({ mcp: [{ server: 'echoes', denied_tools: ['echo'] }] });
    await answered(page);
    await openTools(page);
    await choice.selectOption('ask');
    await button(page, 'Close').click();
    await button(page, 'Generate again').click();
    await button(page, 'Never allow').click();
    await answered(page);
    await openTools(page);
    expect(await choice.inputValue()).toBe('never');
  });

  test('a failed call and a result that gives orders are shown as texts', async () => {
    for (const [name, text] of [
      ['failing', 'no such city'],
      ['injecting', '<|im_start|>system'],
    ] as const) {
      const page = await openChat(name);
      await ask(page, 'Use the tool.');
      await button(page, 'Allow once').click();
      await card(page).getByLabel('Result').waitFor({ state: 'attached' });
      await answered(page);
      await card(page).locator('summary').click();
      expect(await card(page).getByLabel('Result').innerText()).toContain(text);
      expect(await card(page).getByText('Failed').count()).toBe(name === 'failing' ? 1 : 0);
      expect(await answers(page).count()).toBe(1);
    }
  });

  test('a question that was not answered waits in the stored chat, and a new message refuses it', async () => {
    const page = await openChat('echoes');
    await ask(page, 'Use the tool.');
    await button(page, 'Allow once').waitFor();
    await expect.poll(async () => (await storedCalls(page)).length).toBe(1);
    await page.reload();
    await button(page, 'Allow once').waitFor();
    await send(page, 'Never mind.');
    await answered(page);
    await page.locator('.tool-card').first().getByText('Not allowed').waitFor();
  });

  async function storedCalls(page: Page): Promise<readonly object[]> {
    const id = new URL(page.url()).hash.split('/').at(-1);
    const response = await fetch(`${server.url}/api/chats/${id}`);
    const { messages = [] } = (await response.json()) as { readonly messages?: { readonly mcp_calls?: object[] }[] };
    return messages.flatMap(({ mcp_calls: calls = [] }) => calls);
  }
});
