// npm run test:abuse: attacks a real server and prints the table of delays of an ordinary client, and the inflated fields that
// took most time of the server's thread: on the machine as it is, and beside two busy loops. `quiet` or `busy` selects one.

import { spawn, spawnSync } from 'node:child_process';
import { root, setUpTests } from './setup.mjs';

const kinds = ['quiet', 'busy'];
const [only] = process.argv.slice(2);
if (only !== undefined && !kinds.includes(only)) {
  console.error(`The argument must be quiet or busy, not ${only}.`);
  process.exit(2);
}

setUpTests();
const files = ['test/abuse/abuse.test.ts', 'test/abuse/inflation.test.ts'];
for (const kind of kinds.filter((name) => (only ?? name) === name)) {
  console.log(kind === 'busy' ? '\nBeside two busy loops:' : '\nOn the machine as it is:');
  const loops = kind === 'busy' ? [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'])) : [];
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism', ...files];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
  for (const loop of loops) loop.kill('SIGKILL');
  if (status !== 0) process.exitCode = 1;
}
