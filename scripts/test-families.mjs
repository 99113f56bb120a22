// npm run test:families: a tiny model of every architecture that the engine knows, through Hearth and through the engine
// alone. Prints a table. Names of architectures as arguments choose some of them.

import { run, setUpTests } from './setup.mjs';

setUpTests();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/engine/families.test.ts'], {
  environment: { HEARTH_TEST_FAMILIES: process.argv.slice(2).join(' ') || 'all' },
});
