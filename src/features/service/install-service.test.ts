import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createFakeServiceHost, type FakeServiceHost } from '../../../test/support/fake-service-host.ts';
import { parsePlist } from '../../../test/support/parse-plist.ts';
import { parseUnit } from '../../../test/support/parse-unit.ts';
import { chooseManager, findManager } from './choose-manager.ts';
import { commandNotes, installService, readState, uninstallService } from './install-service.ts';
import type { ServiceHost } from './service-host.ts';

const hosts: FakeServiceHost[] = [];
afterEach(() => {
  for (const host of hosts.splice(0)) rmSync(host.folder, { recursive: true });
});

function createHost(options: Partial<ServiceHost> = {}): FakeServiceHost {
  const host = createFakeServiceHost(options);
  hosts.push(host);
  return host;
}

interface TaskOptions {
  readonly system?: boolean;
  readonly runAs?: string;
  readonly dryRun?: boolean;
}

function taskOf(host: FakeServiceHost, { system = false, runAs, dryRun = false }: TaskOptions = {}) {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const manager = chooseManager(host, { system, runAs });
  return { task: { host, manager, dryRun, print }, output: () => printed.join('') };
}

async function install(host: FakeServiceHost, options?: TaskOptions): Promise<string> {
  const { task, output } = taskOf(host, options);
  await installService(task);
  return output();
}

async function uninstall(host: FakeServiceHost, options?: TaskOptions): Promise<string> {
  const { task, output } = taskOf(host, options);
  await uninstallService(task);
  return output();
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

test('a user service is written and started; a second installation changes nothing', async () => {
  const host = createHost({ environment: { HEARTH_KEEP_ALIVE: '1h' } });
  const output = await install(host);
  const unit = join(host.home, '.config/systemd/user/hearth.service');
  const settings = join(host.home, '.hearth/service.env');
  expect(output).toContain(`Write ${unit} (mode 644):\n  # Written by`);
  expect(output).toContain('  HEARTH_KEEP_ALIVE=1h\n');
  expect(output).toContain('Note: It runs while anna is logged in. `loginctl enable-linger anna` keeps it running.');
  expect(host.calls).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now hearth.service']);
  expect(parseUnit(readFileSync(unit, 'utf8'))['Service']).toMatchObject({
    ExecStart: ['/usr/bin/node /usr/bin/hearth serve'],
    EnvironmentFile: [`-${settings}`],
  });
  expect(statSync(settings).mode & 0o777).toBe(0o600);
  const before = filesIn(host.folder).map((path) => [path, readFileSync(path, 'utf8'), statSync(path).mtimeMs]);
  expect(await install(host)).toBe('The user service hearth.service is installed and running. Nothing has changed.\n');
  expect(filesIn(host.folder).map((path) => [path, readFileSync(path, 'utf8'), statSync(path).mtimeMs])).toEqual(
    before,
  );
  expect(host.calls).toHaveLength(2);
});

test('a changed setting is written and the service restarts', async () => {
  const host = createHost();
  await install(host);
  const changed = { ...host, environment: { HEARTH_DEBUG: '1' } };
  expect(await install(changed)).toContain('  HEARTH_DEBUG=1\n');
  expect(host.calls.slice(2)).toEqual(['systemctl --user daemon-reload', 'systemctl --user restart hearth.service']);
});

test('uninstalling removes what was written', async () => {
  const host = createHost();
  await install(host);
  expect(await uninstall(host)).toContain('is removed. Models, keys and logs are still there.\n');
  expect(filesIn(host.folder)).toEqual([]);
  expect(host.calls.slice(2)).toEqual([
    'systemctl --user disable --now hearth.service',
    'systemctl --user daemon-reload',
  ]);
  expect(await uninstall(host)).toContain('The user service hearth.service was not installed.\n');
});

test('files of the user are kept and restored', async () => {
  const host = createHost({ environment: { HEARTH_DEBUG: '1' } });
  const unit = join(host.home, '.config/systemd/user/hearth.service');
  const settings = join(host.home, '.hearth/service.env');
  const former = { [unit]: '[Service]\nExecStart=/mine\n', [settings]: 'HEARTH_HOST=:8080\n' };
  for (const [path, text] of Object.entries(former)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(await install(host)).toContain(`the file that is there becomes ${unit}.before-hearth`);
  expect(readFileSync(settings, 'utf8')).toBe('HEARTH_HOST=:8080\nHEARTH_DEBUG=1\n');
  expect(await install(host)).toContain('Nothing has changed.');
  expect(await uninstall(host)).toContain(`Restored the file that was there before: ${unit}\n`);
  expect(Object.fromEntries(filesIn(host.folder).map((path) => [path, readFileSync(path, 'utf8')]))).toEqual(former);
});

test('a file of the user is not removed by uninstalling a service that was not installed', async () => {
  const host = createHost();
  const unit = join(host.home, '.config/systemd/user/hearth.service');
  mkdirSync(dirname(unit), { recursive: true });
  writeFileSync(unit, '[Service]\n');
  expect(await uninstall(host)).toContain('was not installed');
  expect(readFileSync(unit, 'utf8')).toBe('[Service]\n');
});

test('a dry run shows everything and changes nothing; secrets are not shown', async () => {
  const environment = {
    HEARTH_REGISTRY_CREDENTIALS: 'r.example=robert:opensesame',
    HTTP_PROXY: 'http://bob:pass@p.example',
  };
  const host = createHost({ environment });
  const output = await install(host, { dryRun: true });
  expect(output).toContain('ExecStart=/usr/bin/node /usr/bin/hearth serve');
  expect(output).toContain('Run: systemctl --user enable --now hearth.service\n');
  expect(output).toContain('HTTP_PROXY=http://***@p.example');
  expect(output).not.toContain('opensesame');
  expect([filesIn(host.folder), host.calls]).toEqual([[], []]);
  await install(host);
  expect(readFileSync(join(host.home, '.hearth/service.env'), 'utf8')).toContain('robert:opensesame');
  await uninstall(host, { dryRun: true });
  expect(filesIn(host.folder)).toHaveLength(2);
});

test('a system service has an account of its own and the groups of GPUs that exist', async () => {
  const host = createHost({ uid: 0, groups: ['root', 'video'] });
  await install(host, { system: true });
  expect(host.calls).toEqual([
    'useradd --system --home-dir /var/lib/hearth --shell /usr/sbin/nologin hearth',
    'systemctl daemon-reload',
    'systemctl enable --now hearth.service',
  ]);
  const unit = readFileSync(join(host.etc, 'systemd/system/hearth.service'), 'utf8');
  expect(parseUnit(unit)['Service']).toMatchObject({ User: ['hearth'], SupplementaryGroups: ['video'] });
  expect(await install(host, { system: true })).toContain('Nothing has changed');
  expect(findManager(host, { system: false, runAs: undefined }).title).toBe('the system service hearth.service');
});

test('Node in a home folder needs its owner as the account of a system service', async () => {
  const node = '/home/anna/.nvm/versions/node/v20.20.2/bin/node';
  const host = createHost({ uid: 0, command: [node, '/home/anna/.nvm/versions/node/v20.20.2/bin/hearth'] });
  await expect(install(host, { system: true })).rejects.toThrow('is in a home folder, which the user hearth');
  const output = await install(host, { system: true, runAs: 'anna' });
  expect(output).toContain(`Note: ${node} contains a version`);
  const unit = readFileSync(join(host.etc, 'systemd/system/hearth.service'), 'utf8');
  expect(parseUnit(unit)['Service']).toMatchObject({ User: ['anna'], ProtectHome: ['read-only'] });
  expect(host.calls.join('\n')).not.toContain('useradd');
});

test('a user service works with Node in a home folder', async () => {
  const host = createHost({ command: ['/home/anna/.nvm/versions/node/v20.20.2/bin/node', '/home/anna/hearth'] });
  expect(await install(host)).toContain(
    'contains a version. After an update of Node or Hearth, run `hearth service install` again.',
  );
});

test('a command that fails is an error with its output', async () => {
  const host = createHost();
  host.failures.set('systemctl --user daemon-reload', 'Failed to connect to bus: No medium found');
  await expect(install(host)).rejects.toThrow(
    '`systemctl --user daemon-reload` failed: Failed to connect to bus: No medium found. There is no session of this user',
  );
});

test('launchd: an agent is loaded, loaded again after a change, and removed', async () => {
  const host = createHost({ platform: 'darwin', uid: 501, environment: { HEARTH_DEBUG: '1' } });
  const plist = join(host.home, 'Library/LaunchAgents/hearth-server.plist');
  await install(host);
  expect(parsePlist(readFileSync(plist, 'utf8'))).toMatchObject({ EnvironmentVariables: { HEARTH_DEBUG: '1' } });
  expect(statSync(plist).mode & 0o777).toBe(0o600);
  expect(await install(host)).toContain('Nothing has changed');
  await install({ ...host, environment: {} });
  await uninstall(host);
  expect(filesIn(host.folder)).toEqual([]);
  const target = 'gui/501/hearth-server';
  const load = [`launchctl enable ${target}`, `launchctl bootstrap gui/501 ${plist}`];
  const unload = `launchctl bootout ${target}`;
  expect(host.calls).toEqual([...load, unload, ...load, unload]);
});

test('launchd: a daemon needs an account', async () => {
  const host = createHost({ platform: 'darwin', uid: 0 });
  await expect(install(host, { system: true })).rejects.toThrow('name a user with --run-as');
  await install(host, { system: true, runAs: 'anna' });
  expect(parsePlist(readFileSync(join(host.library, 'LaunchDaemons/hearth-server.plist'), 'utf8'))).toMatchObject({
    UserName: 'anna',
    EnvironmentVariables: { HOME: '/Users/anna' },
  });
});

test('a server that runs already is told, unless it is the service', async () => {
  const host = createHost();
  const { task, output } = taskOf(host, { dryRun: true });
  await installService(task, 'http://127.0.0.1:11434');
  expect(output()).toContain('Note: A server answers at http://127.0.0.1:11434. Stop it');
  await install(host);
  const changed = taskOf({ ...host, environment: { HEARTH_DEBUG: '1' } });
  await installService(changed.task, 'http://127.0.0.1:11434');
  expect(changed.output()).not.toContain('A server answers');
});

test('the state of a service', async () => {
  const host = createHost();
  const manager = chooseManager(host, { system: false, runAs: undefined });
  expect(await readState({ host, manager })).toMatchObject({ isKnown: false, description: 'not installed' });
  await install(host);
  expect(await readState({ host, manager })).toEqual({
    isKnown: true,
    isRunning: true,
    isEnabled: true,
    description: 'active (running), process 42',
  });
  expect(manager.logs(50, true)).toEqual('journalctl --user --unit hearth.service --lines 50 --follow'.split(' '));
});

test.each([
  [['/usr/bin/node', '/usr/bin/hearth'], undefined],
  [
    ['/home/anna/.nvm/versions/node/v20.20.2/bin/node', '/usr/bin/hearth'],
    /contains a version. After an update of Node or Hearth/,
  ],
  [['/opt/homebrew/Cellar/node/24.1.0/bin/node', '/opt/homebrew/bin/hearth'], /contains a version/],
  [['/home/anna/.local/share/hearth/0.1.0-linux-x64/lib/node', '/h'], /contains a version/],
  [['/usr/bin/node', '/home/anna/.npm/_npx/0123/node_modules/.bin/hearth'], /cache of npx/],
] as const)('%o', (command, note) => {
  expect(commandNotes(command)).toEqual(note === undefined ? [] : [expect.stringMatching(note)]);
});
