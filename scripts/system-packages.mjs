// Programs that tests use and that npm does not have. Where the machine allows it they are installed from Debian's
// packages; where it does not, the tests that need them are skipped, and say so.

import { spawnSync } from 'node:child_process';

const programs = [
  { program: 'curl', package: 'curl', for: 'trying the printed curl line' },
  { program: 'ssh', package: 'openssh-client', for: 'reading our keys with ssh-keygen', asks: '-V' },
  { program: 'go', package: 'golang-go', for: 'holding the golden templates against Go', asks: 'version' },
  { program: 'tmux', package: 'tmux', for: 'driving the command line in a real terminal', asks: '-V' },
  { program: 'docker-registry', package: 'docker-registry', for: 'pull and push against the reference registry' },
  { program: 'python3', package: 'python3', for: 'running the Python example' },
];

const isThere = (program, asks = '--version') => spawnSync(program, [asks], { stdio: 'ignore' }).status === 0;

function installFromDebian(names) {
  const apt = (...args) =>
    spawnSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (process.getuid?.() !== 0 || !isThere('apt-get')) return;
  console.error(`Installing ${names.join(', ')} for the tests …`);
  apt('update', '-qq');
  apt('install', '-y', '-qq', '--no-install-recommends', ...names);
}

/** Returns the programs that are missing all the same. */
export function ensureSystemPackages() {
  const missing = programs.filter(({ program, asks }) => !isThere(program, asks));
  if (missing.length > 0) installFromDebian(missing.map((entry) => entry.package));
  const stillMissing = missing.filter(({ program, asks }) => !isThere(program, asks));
  for (const entry of stillMissing)
    console.error(`${entry.program} is not installed: tests for ${entry.for} are skipped`);
  if (stillMissing.length > 0 && process.env.CI === 'true') {
    console.error('In CI a skipped test is a failure.');
    process.exit(1);
  }
  return stillMissing.map(({ program }) => program);
}
