// npm run check: the whole gate. Format, lint, types, arrows, references, tests; the first failure ends it.

import { run, setUpTests } from './setup.mjs';
import { staticChecks } from './static-checks.mjs';

setUpTests();
for (const { name, command, args } of staticChecks) {
  console.error(`\n— ${name}`);
  run(command, args);
}
console.error('\n— tests');
// The tests under test/gate run the checks above once more, for those who only call `npm test`.
run('npm', ['test', '--', '--exclude', 'test/gate/**']);
