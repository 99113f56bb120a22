// npm run test:thorough: the tests that repeat less in `npm test`, with all repetitions and variants.

import { run, setUpTests } from './setup.mjs';

const files = [
  'test/e2e/server-crash.test.ts',
  'test/e2e/usage-crash.test.ts',
  'test/shared-state/two-fronts.test.ts',
  'test/shared-state/database-away.test.ts',
  'test/e2e/store-crash.test.ts',
  'test/e2e/soak.test.ts',
  'test/e2e/crowd.test.ts',
  'test/e2e/start-stop.test.ts',
  'test/e2e/fresh-clone.test.ts',
  'test/abuse/abuse.test.ts',
  'test/e2e/registry/registry-kills.test.ts',
  'test/e2e/quantize.test.ts',
  'test/engine/device-prefixes.test.ts',
];

setUpTests();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
  environment: { HEARTH_TEST_THOROUGH: '1' },
});
