// A version of Node that is too old is told in one sentence, before anything is installed or imported.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

// No dependencies and no build.
const folder = mkdtempSync(join(tmpdir(), 'hearth-old-node-'));
for (const name of ['bin', 'scripts', 'package.json'])
  cpSync(repository(name), join(folder, name), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

function run(entry: string, version: string) {
  const preload = join(folder, 'version.cjs');
  writeFileSync(
    preload,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', preload, join(folder, entry)], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test.each([
  ['bin/hearth.cjs', '18.20.4'],
  ['bin/hearth.cjs', '20.9.0'],
  ['bin/hearth.cjs', '20.18.0'],
  ['scripts/start.cjs', '16.20.2'],
])('%s on Node %s', (entry, version) => {
  expect(run(entry, version)).toEqual({
    status: 1,
    stdout: '',
    stderr: `Hearth needs Node 20.18.1 or later, but this is Node ${version}. Install a newer version of Node and try again.\n`,
  });
  expect(readdirSync(folder)).not.toContain('node_modules');
});

test.each(['20.18.1', '20.20.0', '22.0.0', '100.0.0'])('Node %s is new enough', (version) => {
  // The build is missing here.
  expect(run('bin/hearth.cjs', version).stderr).toContain('dist/code-cache/load-program.js');
});
