// npm run test:node: unit tests and a smoke run (start, answers, images, the command line) on the other supported
// versions of Node. Arguments select versions: `npm run test:node 24`. A version that npm does not have is skipped.

import { execFileSync } from 'node:child_process';
import { fetchNode } from './fetch-node.mjs';
import { run, setUpTests } from './setup.mjs';

const supported = [20, 22, 24];
const current = Number(process.versions.node.split('.')[0]);
const selected = process.argv.slice(2).map(Number);
const versions = selected.length > 0 ? selected : supported.filter((major) => major !== current);

const smoke = [
  'test/e2e/start-stop.test.ts',
  'test/e2e/code-cache.test.ts',
  'test/e2e/images.test.ts',
  'test/e2e/command-line/run.test.ts',
];

setUpTests();
const skipped = [];
for (const major of versions) {
  let node;
  try {
    node = fetchNode(major);
  } catch (error) {
    skipped.push(major);
    const reason = String(error.stderr ?? error.message).trim();
    console.error(`Node ${major} is skipped: npm has no package for ${process.platform} ${process.arch} (${reason}).`);
    continue;
  }
  console.error(`\n— Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`);
  run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'parallel', ...smoke]);
  run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit']);
}
if (skipped.length > 0 && process.env.CI === 'true') {
  console.error('In CI, skipped tests are failures.');
  process.exit(1);
}
