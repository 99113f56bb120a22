// npm run test:standards: test suites that nobody here wrote, against a real server with Ember. Prints how many tests of
// each pass, fail, or do not apply, with the reasons. Checkouts are named by environment variables, packages are
// installed into a cache folder. Without them, it says what is skipped. Arguments select suites.

import { setUp } from './setup.mjs';
import { judge } from './standards/not-applicable.mjs';
import { createEncoders, createModels, startServer } from './standards/server.mjs';
import { suites } from './standards/suites.mjs';

function report(suite, results) {
  const judged = results.map((result) => judge(suite, result));
  const of = (status) => judged.filter((result) => result.status === status);
  console.log(
    `${suite}: ${of('passed').length} passed, ${of('failed').length} failed, ${of('skipped').length} not applicable`,
  );
  for (const { name, reason } of of('failed')) console.log(`  failed: ${name}: ${reason}`);
  const reasons = new Map();
  for (const { reason } of of('skipped')) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, count] of reasons) console.log(`  not applicable: ${count}: ${reason}`);
  return of('failed').length;
}

setUp();
const words = process.argv.slice(2);
let failed = 0;
for (const { name, prepare, models, encoders = {}, run } of suites) {
  if (words.length > 0 && !words.includes(name)) continue;
  const reason = prepare();
  if (reason !== undefined) {
    console.log(`${name}: skipped: ${reason}`);
    continue;
  }
  const { url, folder, stop } = await startServer();
  try {
    await createEncoders(url, folder, encoders);
    await createModels(url, models);
    const results = await run(url);
    // A suite that ran no test has not passed.
    if (results.length === 0) throw new Error(`${name} ran no tests`);
    failed += report(name, results);
  } finally {
    await stop();
  }
}
process.exitCode = failed === 0 ? 0 : 1;
