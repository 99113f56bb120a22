// Runs the examples of the documentation against one server: blocks marked `sh` that use curl or hearth, and the programs
// of docs/clients.md that are marked `js`, with the packages of test/clients.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installShim } from '../support/command.ts';
import { createHome, type Home } from '../support/home.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { createPreparations, type Preparations } from './preparations.ts';
import { type Block, readBlocks, withAddress } from './read-blocks.ts';

const missing = (process.env['HEARTH_TEST_MISSING'] ?? '').split(',');
const apiPage = 'docs/reference/api.md';

const pages = ['README.md', ...['docs', 'docs/reference'].flatMap(pagesIn)];
const allBlocks = pages.flatMap(readBlocks);
const programs = allBlocks.filter(({ language }) => language === 'js');
/** They need a provider and a person: src/features/sign-in tests them. */
const isAboutUsers = ({ page, heading }: Block): boolean =>
  page === apiPage && /\/api\/(?:sign-in|users|session\/keys)\b/.test(heading);
const blocks = allBlocks.filter(
  (block) => block.language === 'sh' && /\b(?:curl|hearth) /.test(block.text) && !isAboutUsers(block),
);
/** From the first key on, every request needs one. */
const isAboutKeys = ({ page, heading }: Block): boolean =>
  page === apiPage && /\/api\/(?:keys|session)\b/.test(heading) && !heading.startsWith('GET /api/session');

function pagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

let server: TestServer;
let home: Home;
let preparations: Preparations;
const bin = installShim();
beforeAll(async () => {
  server = await startServer();
  home = createHome(server.url);
  preparations = createPreparations(server);
  configureCurl();
});
afterAll(async () => {
  await preparations.close();
  home.remove();
  rmSync(bin, { recursive: true });
  await server.stop();
});

/** A status of 400 or more is a failure, also for commands that do not say so. */
function configureCurl(...lines: readonly string[]): void {
  const options = ['silent', 'show-error', 'fail-with-body', ...lines];
  writeFileSync(join(home.folder, '.curlrc'), `${options.join('\n')}\n`);
}

function run(script: string, folder: string) {
  mkdirSync(folder, { recursive: true });
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script], {
    encoding: 'utf8',
    cwd: folder,
    input: '',
    env: { PATH: `${bin}:${process.env['PATH']}`, HOME: home.folder, HEARTH_HOST: server.url },
  });
  return { status, stdout, stderr };
}

/** The blocks of a page share a folder, in which one can use the files of another. */
async function expectSuccess({ page, heading, text }: Block): Promise<void> {
  const folder = join(home.folder, page.replace(/\W/g, '-'));
  const values = await preparations.prepare(page === apiPage ? heading : page, folder);
  const filled = Object.entries(values).reduce((script, [name, value]) => script.replaceAll(name, value), text);
  const result = run(withAddress(filled, server.url), folder);
  expect(result, filled).toEqual({ status: 0, stdout: result.stdout, stderr: expect.any(String) });
  // A failure after the beginning of a stream.
  expect(result.stdout).not.toMatch(/^(?:data: )?\{"error"/m);
}

test('there are examples on many pages', () => {
  expect(new Set(blocks.map(({ page }) => page)).size).toBeGreaterThan(4);
});

describe.skipIf(missing.includes('curl'))('without keys', () => {
  const rows = blocks.filter((block) => !isAboutKeys(block)).map((block) => ({ ...block, line: firstLine(block) }));
  test.each(rows)('$page, $heading: $line', expectSuccess);
});

describe('programs in JavaScript', () => {
  test.each(programs)('$page, $heading', ({ text }) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-'], {
      encoding: 'utf8',
      // Packages are found from here.
      cwd: repository('test/clients'),
      input: withAddress(text, server.url),
      env: { PATH: process.env['PATH'], HOME: home.folder },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr });
    expect(stdout.trim()).not.toBe('');
  });
});

describe.skipIf(missing.includes('curl'))('with keys', () => {
  beforeAll(async () => {
    configureCurl(`header = "Authorization: Bearer ${await preparations.requireKeys()}"`);
  });
  test.each(blocks.filter(isAboutKeys))('$page, $heading', expectSuccess);
});

function firstLine({ text }: Block): string {
  return text.split('\n', 1).join('');
}
