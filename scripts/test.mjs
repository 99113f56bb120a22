// npm test: sets up everything, then runs every test. Arguments go to vitest.

import { run, setUp } from './setup.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

setUp();
const missing = ensureSystemPackages();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  HEARTH_TEST_MISSING: missing.join(','),
});
