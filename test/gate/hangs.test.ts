// A test that hangs is named, and the run ends.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

function runFixture(name: string, pool: string) {
  const vitest = repository('node_modules/vitest/vitest.mjs');
  const config = repository('test/fixtures/hang/vitest.config.ts');
  const args = [vitest, 'run', '--config', config, '--root', repository('.'), '--pool', pool, name];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

test.each([
  ['threads', 'loop', 'a loop > that never ends'],
  ['forks', 'loop', 'a loop > that never ends'],
  ['threads', 'load', '(loading, or a hook of the file)'],
])('in %s, %s.hang.ts', (pool, name, title) => {
  const { status, stderr } = runFixture(`${name}.hang.ts`, pool);
  expect(stderr).toContain(`still running after 2 s: test/fixtures/hang/${name}.hang.ts > ${title}`);
  expect(stderr).toContain(`The run ends: test/fixtures/hang/${name}.hang.ts > ${title} hangs`);
  expect(status).toBe(1);
});
