// `hearth service` as far as a machine without a running service manager allows: what it would write, verified by the
// programs that read it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { formatLaunchdPlist } from '../../../src/features/service/launchd.ts';
import { renderUnit } from '../../../src/features/service/systemd.ts';
import { hearth, hearthScript } from '../../support/command.ts';
import { repository } from '../../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-service-'));
afterAll(() => rmSync(folder, { recursive: true }));

const nowhere = { url: 'http://hearth.invalid:9', environment: { HOME: folder, HEARTH_KEEP_ALIVE: '1h' } };
const runs = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;
const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)('a dry run shows the unit with absolute paths, and the settings', async () => {
  const { code, stdout, stderr } = await hearth(['service', 'install', '--dry-run'], nowhere);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`Write ${folder}/.config/systemd/user/hearth.service (mode 644):\n`);
  expect(stdout).toContain(`  ExecStart=${process.execPath} ${hearthScript} serve\n`);
  expect(stdout).toContain('  HEARTH_KEEP_ALIVE=1h\n');
  expect(stdout).toContain('Run: systemctl --user enable --now hearth.service\n');
});

test.skipIf(!isLinux)('a service that is not installed does not run', async () => {
  const { code, stdout } = await hearth(['service', 'status'], nowhere);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^service {2}the user service hearth\.service is not installed\nserver {3}no server at /);
});

const systemUnit = { user: 'root', gpuGroups: ['video'], readsHome: true };
const units = {
  'a user service': { user: true, text: formatUnit({}) },
  'a system service': { user: false, text: formatUnit({ system: systemUnit }) },
  'a path with a space and a percent sign': {
    user: false,
    text: formatUnit({ command: [linkNode('100% node'), hearthScript, 'serve'], system: systemUnit }),
  },
};

function formatUnit(options: Partial<Parameters<typeof renderUnit>[1]>): string {
  const command = [process.execPath, hearthScript, 'serve'];
  const template = readFileSync(repository('deploy/hearth.service'), 'utf8');
  return renderUnit(template, { command, environmentFile: join(folder, 'service.env'), ...options });
}

function linkNode(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  return path;
}

test.skipIf(!runs('systemd-analyze', '--version')).each(Object.entries(units))(
  'systemd accepts %s',
  (_, { user, text }) => {
    const unit = join(folder, 'hearth.service');
    writeFileSync(unit, text);
    const { status, stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...(user ? ['--user'] : []), unit],
      { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder } },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  },
);

test.skipIf(!runs('systemd-analyze', '--version'))('systemd accepts the unit of deploy/', () => {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', repository('deploy/hearth.service')], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.skipIf(!runs('python3', '--version'))('the property list for launchd can be read', () => {
  const plist = formatLaunchdPlist({
    command: ['/opt/a & b/node', 'hearth', 'serve'],
    variables: { HEARTH_ORIGINS: '<é>' },
    logFile: '/tmp/hearth.log',
  });
  const program = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const { stdout } = spawnSync('python3', ['-c', program], { input: plist, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({
    ProgramArguments: ['/opt/a & b/node', 'hearth', 'serve'],
    EnvironmentVariables: { HEARTH_ORIGINS: '<é>' },
    KeepAlive: { SuccessfulExit: false },
  });
});
