// npm run test:soak: many short requests to a real server, whose memory and that of its runner must not grow once the prefix
// cache is full. An argument is the number of requests; 100,000 by default.

import { run, setUpTests } from './setup.mjs';

const [count = '100000'] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(count)) {
  console.error(`The number of requests must be a positive whole number, not ${count}.`);
  process.exit(2);
}

setUpTests();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/e2e/long-soak.test.ts'], {
  environment: { HEARTH_TEST_REQUESTS: count },
});
