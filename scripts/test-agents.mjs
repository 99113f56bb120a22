// npm run test:agents: installs coding agents and drives the server with them, in a network namespace that has only the
// loopback interface. Where such a namespace is not possible, it says so. Arguments go to vitest.

import { spawnSync } from 'node:child_process';
import { run, setUpAgents } from './setup.mjs';

// Another user than root needs a user namespace too.
const isolated = ['unshare', '--net', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
const loopback = 'ip link set lo up';

/** The reason why a network namespace is not possible, or undefined. */
function whyNotIsolated() {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  const [command, ...options] = isolated;
  const { status, stderr, error } = spawnSync(command, [...options, 'sh', '-c', loopback], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n').at(-1));
}

const reason = whyNotIsolated();
if (reason === undefined) {
  setUpAgents();
  const [command, ...options] = isolated;
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.agents.config.ts'];
  const script = `${loopback} && exec "$@"`;
  run(command, [...options, 'sh', '-c', script, 'sh', process.execPath, ...vitest, ...process.argv.slice(2)]);
} else {
  console.error(`The tests with agents are skipped: there is no network namespace (${reason}).`);
  if (process.env.CI === 'true') {
    console.error('In CI, skipped tests are failures.');
    process.exit(1);
  }
}
