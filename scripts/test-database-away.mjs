// npm run test:database-away: the database with the shared state of two servers is stopped for a while. An argument is the number
// of seconds; 60 by default.

import { run, setUpTests } from './setup.mjs';

const [seconds = '60'] = process.argv.slice(2);
if (!/^[1-9]\d{0,3}$/.test(seconds)) {
  console.error(`The number of seconds must be a whole number from 1 to 9999, not ${seconds}.`);
  process.exit(2);
}

setUpTests();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/shared-state/database-away.test.ts'], {
  environment: { HEARTH_TEST_AWAY_SECONDS: seconds },
});
