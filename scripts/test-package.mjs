// npm run test:package: builds the archive of this platform and runs it in a root folder that has only the C library.
// Where a mount namespace is not possible, it says so. Arguments go to vitest.

import { spawnSync } from 'node:child_process';
import { run, setUp } from './setup.mjs';

// Another user than root needs a user namespace too.
const namespace = ['--mount', '--propagation', 'private', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];

/** The reason why a mount namespace is not possible, or undefined. */
function whyNot() {
  if (process.platform !== 'linux') return 'mount namespaces need Linux';
  const { status, stderr, error } = spawnSync('unshare', [...namespace, 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n').at(-1));
}

const reason = whyNot();
if (reason === undefined) {
  setUp();
  run(process.execPath, [
    'node_modules/vitest/vitest.mjs',
    ...['run', '--config', 'vitest.package.config.ts'],
    ...process.argv.slice(2),
  ]);
} else {
  console.error(`The test of the archive is skipped: there is no mount namespace (${reason}).`);
  if (process.env.CI === 'true') {
    console.error('In CI, skipped tests are failures.');
    process.exit(1);
  }
}
