// Programs that tests need and npm does not provide. They are installed as root on Debian; otherwise the tests that
// need them are skipped with a message.

import { spawnSync } from 'node:child_process';

const programs = [
  { program: 'curl', package: 'curl', for: 'the printed curl command' },
  { program: 'ssh', package: 'openssh-client', for: 'reading keys with ssh-keygen', versionFlag: '-V' },
  { program: 'go', package: 'golang-go', for: 'comparing the golden templates with Go', versionFlag: 'version' },
  { program: 'tmux', package: 'tmux', for: 'the command line in a real terminal', versionFlag: '-V' },
  { program: 'zsh', package: 'zsh', for: 'shell completion in zsh' },
  { program: 'jq', package: 'jq', for: 'the examples of the help texts' },
  { program: 'docker-registry', package: 'docker-registry', for: 'pull and push against the reference registry' },
  { program: 'shellcheck', package: 'shellcheck', for: 'checking install.sh' },
  { program: 'python3', package: 'python3', for: 'running the Python example' },
  {
    program: 'psql',
    package: 'postgresql',
    for: 'state that several servers share in PostgreSQL',
  },
  { program: 'systemd-analyze', package: 'systemd', for: 'verifying the units of hearth service' },
  {
    program: 'chromium-headless-shell',
    package: 'chromium-headless-shell',
    for: 'the web page in a browser',
    // The order of test/support/browser.ts.
    others: [process.env.HEARTH_CHROMIUM ?? '', 'chromium', 'google-chrome'],
  },
];

const runs = (program, versionFlag = '--version') =>
  spawnSync(program, [versionFlag], { stdio: 'ignore' }).status === 0;
const isInstalled = ({ program, versionFlag, others = [] }) =>
  [program, ...others].some((name) => name !== '' && runs(name, versionFlag));

function installFromDebian(names) {
  const apt = (...args) =>
    spawnSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (process.getuid?.() !== 0 || !runs('apt-get')) return;
  console.error(`Installing ${names.join(', ')} for the tests …`);
  apt('update', '-qq');
  apt('install', '-y', '-qq', '--no-install-recommends', ...names);
}

/** Returns the programs that could not be installed. */
export function ensureSystemPackages() {
  const missing = programs.filter((entry) => !isInstalled(entry));
  if (missing.length > 0) installFromDebian(missing.map((entry) => entry.package));
  const stillMissing = missing.filter((entry) => !isInstalled(entry));
  for (const entry of stillMissing)
    console.error(`${entry.program} is not installed: tests for ${entry.for} are skipped`);
  if (stillMissing.length > 0 && process.env.CI === 'true') {
    console.error('In CI, skipped tests are failures.');
    process.exit(1);
  }
  return stillMissing.map(({ program }) => program);
}
