import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { createFakeServiceHost } from '../../../test/support/fake-service-host.ts';
import { checkHost, chooseManager } from './choose-manager.ts';

const host = createFakeServiceHost();
afterAll(() => rmSync(host.folder, { recursive: true }));
const user = { system: false, runAs: undefined };
const system = { system: true, runAs: undefined };

test('Linux has systemd, macOS has launchd, and others are told what to do', () => {
  expect(chooseManager(host, user).title).toBe('the user service hearth.service');
  expect(chooseManager({ ...host, platform: 'darwin' }, user).title).toBe('the launchd agent hearth-server');
  expect(() => chooseManager({ ...host, platform: 'win32' }, user)).toThrow('Task Scheduler');
});

test('a machine without systemd, and a system service without root, are errors with the next step', () => {
  expect(() => checkHost(host, user, 'service install')).not.toThrow();
  expect(() => checkHost({ ...host, hasSystemd: false }, user, 'service install')).toThrow('systemd does not run here');
  expect(() => checkHost(host, system, 'service install --system')).toThrow(
    'a system service needs root: sudo /usr/bin/node /usr/bin/hearth service install --system',
  );
  expect(() => checkHost({ ...host, uid: 0 }, system, 'service install --system')).not.toThrow();
});
