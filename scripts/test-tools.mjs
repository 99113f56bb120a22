// npm run test:tools: makes many tool calls with Ember and validates each, then one call with each family of models, and prints
// a table of the families. An argument is the number of calls; 1000 by default.

import { run, setUpTests } from './setup.mjs';

const [count = '1000'] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(count)) {
  console.error(`The number of calls must be a positive whole number, not ${count}.`);
  process.exit(2);
}

setUpTests();
const files = [
  'test/e2e/tool-calls.test.ts',
  'test/e2e/tool-families.test.ts',
  'src/formats/chat/call-grammar/calls-to-grammar.test.ts',
  'src/formats/chat/parsers/held-calls.test.ts',
  'src/formats/chat/tool-calls/call-families.test.ts',
];
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
  environment: { HEARTH_TEST_CALLS: count, HEARTH_TEST_FAMILIES: '1' },
});
