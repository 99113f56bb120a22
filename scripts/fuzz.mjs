// npm run fuzz: runs the property tests, each round with another random seed, until a round fails.
//   --seed N    one round with this seed, to see a failure again
//   --rounds N  how many seeds to try; 10 by default
// Other words choose test files, as for `npm test`.

import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { filesIn, root, setUp } from './setup.mjs';

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, rounds: { type: 'string', default: '10' } },
  allowPositionals: true,
});
const rounds = values.seed === undefined ? wholeNumber('rounds') : 1;
const firstSeed = values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('seed');

function wholeNumber(option) {
  const number = Number(values[option]);
  if (/^\d+$/.test(values[option]) && number < 2 ** 31) return number;
  console.error(`--${option} must be a whole number below 2147483648, not ${values[option]}.`);
  process.exit(2);
}

const files = ['src', 'test']
  .flatMap((folder) => filesIn(join(root, folder)))
  .filter((path) => path.endsWith('.test.ts') && /from 'fast-check'/.test(readFileSync(path, 'utf8')))
  .map((path) => relative(root, path).replaceAll('\\', '/'))
  .filter((path) => positionals.length === 0 || positionals.some((word) => path.includes(word)));
if (files.length === 0) {
  console.error(`No property test has ${positionals.join(' or ')} in its path.`);
  process.exit(2);
}

setUp();
for (let round = 1; round <= rounds; round++) {
  const seed = round === 1 ? firstSeed : randomInt(2 ** 31);
  console.error(`\n— round ${round} of ${rounds}, seed ${seed}`);
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, HEARTH_TEST_SEED: String(seed), HEARTH_TEST_THOROUGH: '1' },
  });
  if (status === 0) continue;
  console.error(`\nFailed with seed ${seed}. To see it again: npm run fuzz -- --seed ${seed}`);
  process.exit(1);
}
