// A real browser for tests of the web page: an installed Chromium, driven by playwright-core.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { repository } from './repository.ts';

const programs = [process.env['HEARTH_CHROMIUM'], 'chromium-headless-shell', 'chromium', 'google-chrome'];

/** undefined: none is installed, and the tests are skipped; scripts/system-packages.mjs installs one. */
export const browserPath = programs
  .map((program) => (program ? spawnSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).stdout : ''))
  .map((path) => path.trim())
  .find((path) => path !== '');

export interface TestBrowser {
  /** Opens the page of a server in a profile of its own. `isHostile`: what it shows fails to do harm, and logs errors. */
  open(url: string, options?: BrowserContextOptions & { readonly isHostile?: boolean }): Promise<Page>;
  /** Closes the pages of a test. Fails if one of them had an error, or sent a request to another origin. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** `args` are flags of Chromium. */
export async function startBrowser(args: readonly string[] = []): Promise<TestBrowser> {
  if (browserPath === undefined) throw new Error('no browser is installed');
  const browser: Browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--disable-gpu', '--disable-software-rasterizer', ...args],
  });
  const problems: string[] = [];
  return {
    async open(url, { isHostile = false, ...options } = {}) {
      // A worker would answer requests that a test watches.
      const context = await browser.newContext({ serviceWorkers: 'block', ...options });
      const page = await context.newPage();
      const { origin } = new URL(url);
      if (isHostile) {
        await page.goto(url);
        return page;
      }
      page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
      page.on('console', (message) => {
        // A status other than success is written by the browser itself; the page reports those that matter.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          problems.push(`console: ${message.text()}`);
      });
      page.on('request', (request) => {
        const { origin: target, protocol } = new URL(request.url());
        if (protocol.startsWith('http') && target !== origin) problems.push(`request: ${request.url()}`);
      });
      await page.goto(url);
      return page;
    },
    async check() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      expect(problems.splice(0)).toEqual([]);
    },
    close: () => browser.close(),
  };
}

const axe = readFileSync(repository('node_modules/axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds on the page as it is. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Through the debugger: the policy of the page forbids scripts of others.
  await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'] });
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as {
    readonly violations: readonly AxeViolation[];
  };
  return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => `${impact}, ${id}: ${html}`));
}
