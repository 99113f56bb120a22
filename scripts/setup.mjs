// Brings a fresh clone to a state in which things can run: dependencies installed, the program bundled. Needs nothing but
// Node and npm, and does nothing when nothing has changed.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** Exists only while npm packs. */
export const shrinkwrapPath = join(root, 'npm-shrinkwrap.json');

/** Runs a command with its output shown, by default in the root; ends this process when it fails. */
export function run(command, args, { environment = {}, cwd = root } = {}) {
  const { status, signal, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
    // npm is a script on Windows.
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(`\n${command} ${args.join(' ')} failed: ${error?.message ?? signal ?? `exit code ${status}`}`);
  process.exit(status || 1);
}

/** Runs the script of an installed package. */
export function runTool(script, args = []) {
  run(process.execPath, [join('node_modules', script), ...args]);
}

/** Acts unless the stamp says that it acted for this content. */
export function whenChanged(stampPath, content, action) {
  const stamp = createHash('sha256').update(content).digest('hex');
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp) return;
  action();
  writeFileSync(stampPath, stamp);
}

export function installPackages(folder, what) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const platform = `${process.platform} ${process.arch} ${process.versions.modules}`;
  whenChanged(join(folder, 'node_modules', '.hearth-installed'), lock + platform, () => {
    console.error(`Installing ${what} …`);
    // The build needs the development dependencies, also where NODE_ENV says production. No package here needs its
    // install script.
    const options = ['--include=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    run('npm', ['ci', ...options, '--loglevel=error'], { cwd: folder });
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
  });
}

export function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

export function build() {
  const inputs = [
    ...filesIn(join(root, 'src')),
    ...filesIn(join(root, 'web')),
    ...['tsconfig.json', 'package-lock.json', 'scripts/bundle.mjs', 'scripts/bundle-page.mjs'].map((name) =>
      join(root, name),
    ),
  ];
  const content = inputs.map((path) => `${path}\n${readFileSync(path, 'utf8')}`).join('\n');
  whenChanged(join(root, 'dist', '.hearth-built'), content, () => {
    console.error('Building …');
    // What was removed from the source must not live on in the build.
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    run(process.execPath, ['scripts/bundle.mjs']);
    run(process.execPath, ['scripts/bundle-page.mjs']);
  });
}

/** What the server needs: `npm start` installs nothing else. */
export function setUp() {
  installPackages(root, 'dependencies');
  build();
}

/** What tests and type checks need on top: the clients are packages of their own. */
export function setUpTests() {
  setUp();
  installPackages(join(root, 'test', 'clients'), 'clients for the tests');
  installPackages(join(root, 'test', 'clients', 'rerank'), 'a client for rerank');
}

/** Coding agents are large. Only `npm run test:agents` needs them. */
export function setUpAgents() {
  setUp();
  installPackages(join(root, 'test', 'agents'), 'agents for the tests');
}
