// A test that hangs is named, and the run ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

async function runFixture(name: string, pool: string) {
  const vitest = repository('node_modules/vitest/vitest.mjs');
  const config = repository('test/fixtures/hang/vitest.config.ts');
  const args = [vitest, 'run', '--config', config, '--root', repository('.'), '--pool', pool, name];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stderr };
}

// Each waits until its run ends.
test.concurrent.each([
  ['threads', 'loop', 'a loop > that never ends'],
  ['forks', 'loop', 'a loop > that never ends'],
  ['threads', 'load', '(loading, or a hook of the file)'],
])('in %s, %s.hang.ts', async (pool, name, title) => {
  const { status, stderr } = await runFixture(`${name}.hang.ts`, pool);
  expect(stderr).toContain(`still running after 2 s: test/fixtures/hang/${name}.hang.ts > ${title}`);
  expect(stderr).toContain(`The run ends: test/fixtures/hang/${name}.hang.ts > ${title} hangs`);
  expect(status).toBe(1);
});
