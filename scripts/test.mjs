// npm test: sets up everything, then runs every test. Arguments go to vitest.

import { run, setUpTests } from './setup.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

setUpTests();
const missing = ensureSystemPackages();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  environment: { HEARTH_TEST_MISSING: missing.join(',') },
});
