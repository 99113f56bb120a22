// What `npm run check` looks at before it runs tests, for those who only run `npm test`.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { staticChecks } from '../../scripts/static-checks.mjs';

test.each(staticChecks)('$name', ({ command, args }) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
});
