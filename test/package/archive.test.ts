// The archive of this platform, built and run in an empty root folder.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chat } from '../support/client.ts';
import { pause } from '../support/processes.ts';
import { repository } from '../support/repository.ts';
import { createEmptyRoot, type EmptyRoot, type Running } from './empty-root.ts';

const { version } = JSON.parse(readFileSync(repository('package.json'), 'utf8'));
const name = `hearth-${version}-${process.platform}-${process.arch}`;
const output = mkdtempSync(join(tmpdir(), 'hearth-archive-'));
const archive = join(output, `${name}.tar.gz`);

let root: EmptyRoot;
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/package/package.mjs', '--output', output], { stdio: 'inherit' });
  root = createEmptyRoot(archive);
});
afterAll(() => {
  root?.remove();
  rmSync(output, { recursive: true, force: true });
});

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('the archive has its checksum next to it, and the licenses in it', () => {
  expect(readFileSync(`${archive}.sha256`, 'utf8')).toBe(`${digestOf(archive)}  ${name}.tar.gz\n`);
  const notices = readFileSync(join(root.folder, 'opt/NOTICES'), 'utf8');
  for (const title of ['Node.js', 'llama.cpp and ggml', 'koffi ', 'fastify ']) expect(notices).toContain(`\n${title}`);
  expect(readFileSync(join(root.folder, 'opt/LICENSE'), 'utf8')).toContain('MIT');
  expect(existsSync(join(root.folder, 'opt/lib/hearth/models/DATA.md'))).toBe(true);
});

test('the root has no program but the shell and the archive', () => {
  expect(readdirSync(join(root.folder, 'bin'))).toEqual(['sh']);
  expect(existsSync(join(root.folder, 'usr/bin'))).toBe(false);
});

test('hearth version', async () => {
  const running = root.start('version');
  expect([await running.exit, running.stdout()], running.stderr()).toEqual([0, `hearth version is ${version}\n`]);
  expect(running.stderr()).toMatch(/^Warning: could not connect to a running Hearth server at \S+\n$/);
});

async function addressOf({ stdout, stderr, exit }: Running): Promise<string> {
  let ended = false;
  void exit.then(() => (ended = true));
  for (;;) {
    const address = /listening on (http\S+)/.exec(stdout())?.[1];
    if (address !== undefined) return address;
    if (ended) throw new Error(`the server ended: ${stderr()}`);
    await pause(20);
  }
}

test('the server answers a chat, and ends when it is told to', async () => {
  const running = root.start('serve');
  try {
    const url = await addressOf(running);
    const messages = [{ role: 'user', content: 'What is the capital of France?' }];
    const { message } = await chat(url, { messages, options: { temperature: 0 } });
    expect(message?.content).toContain('Paris');
  } finally {
    await running.stop();
  }
  expect(await running.exit).toBe(0);
});

test('the same sources give the same bytes', () => {
  const first = digestOf(archive);
  execFileSync(process.execPath, ['scripts/package/package.mjs', '--output', output], { stdio: 'inherit' });
  expect(digestOf(archive)).toBe(first);
});
