// npm run check: format, lint, types, import rules, references and tests. Stops at the first failure.

import { run, setUpTests } from './setup.mjs';
import { staticChecks } from './static-checks.mjs';

setUpTests();
for (const { name, command, args } of staticChecks) {
  console.error(`\n— ${name}`);
  run(command, args);
}
console.error('\n— tests');
// test/gate repeats the checks above for plain `npm test`.
run('npm', ['test', '--', '--exclude', 'test/gate/**']);
