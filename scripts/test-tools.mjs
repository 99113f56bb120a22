// npm run test:tools: makes many tool calls with Ember and validates each. An argument is their number; 1000 by default.

import { run, setUpTests } from './setup.mjs';

const [count = '1000'] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(count)) {
  console.error(`The number of calls must be a positive whole number, not ${count}.`);
  process.exit(2);
}

setUpTests();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/e2e/tool-calls.test.ts'], {
  environment: { HEARTH_TEST_CALLS: count },
});
