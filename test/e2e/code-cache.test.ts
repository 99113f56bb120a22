// The installed command keeps the code that V8 has compiled, and starts with it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ask } from '../support/client.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const home = mkdtempSync(join(tmpdir(), 'hearth-code-cache-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const folder = join(home, '.hearth', 'cache');
const files = (): string[] => {
  try {
    return readdirSync(folder).filter((name) => !name.includes('-', 'code-'.length));
  } catch {
    return [];
  }
};
const cacheFile = (): string => join(folder, files()[0] as string);

/** Runs a server of the installed command on the same home folder. */
async function withServer(use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ store: home, entry: repository('bin/hearth.cjs') });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

test('the first server writes the cache, the next one uses it and leaves it as it is', async () => {
  await withServer(() => expect.poll(files).toHaveLength(1));
  const { mtimeMs, ino, size } = statSync(cacheFile());
  expect(size).toBeGreaterThan(100_000);
  await withServer(async (server) => {
    expect(await ask(server.url, 'What is 2 + 2?', { temperature: 0 })).toContain('4');
  });
  expect(statSync(cacheFile())).toMatchObject({ mtimeMs, ino });
});

test('a cache that is damaged is replaced', async () => {
  const good = readFileSync(cacheFile());
  const damaged = Buffer.from(good);
  damaged.fill(0xff, damaged.length / 2);
  writeFileSync(cacheFile(), damaged);
  await withServer(async ({ url }) => {
    expect((await fetch(`${url}/api/version`)).ok).toBe(true);
    await expect.poll(() => readFileSync(cacheFile()).equals(damaged)).toBe(false);
  });
});

test('Node has no warning about it', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [repository('bin/hearth.cjs'), 'version'], {
    encoding: 'utf8',
    // No server listens there.
    env: { PATH: process.env['PATH'], HOME: home, HEARTH_HOST: '127.0.0.1:1' },
  });
  expect(stdout).toMatch(/^hearth version is \d/);
  expect(stderr).toBe('Warning: could not connect to a running Hearth server at http://127.0.0.1:1\n');
});
