// systemd: a service of the user, or of the system.

import { join } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { carriedVariables, mergeEnvironmentFile } from './environment-file.ts';
import type { CommandOutcome, ServiceHost, SystemCommand } from './service-host.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';
import { formatSystemdUnit, type SystemdUnit, systemStateFolder } from './systemd-unit.ts';

export interface ServiceChoice {
  readonly system: boolean;
  /** The account of a system service. Undefined: its own. */
  readonly runAs: string | undefined;
}

const unitName = 'hearth.service';
const ownAccount = 'hearth';
// The usual owners of /dev/dri and /dev/nvidia*.
const gpuGroups = ['video', 'render'] as const;

export function createSystemdManager(host: ServiceHost, choice: ServiceChoice): ServiceManager {
  const { system, runAs } = choice;
  const systemctl = (...words: string[]): SystemCommand => ['systemctl', ...(system ? [] : ['--user']), ...words];
  const environmentFile = system ? join(host.etc, 'hearth', 'hearth.env') : join(host.home, '.hearth', 'service.env');
  const unitFile = join(
    system ? host.etc : join(host.home, '.config'),
    'systemd',
    system ? 'system' : 'user',
    unitName,
  );
  const account = runAs ?? ownAccount;
  return {
    title: `the ${system ? 'system' : 'user'} service ${unitName}`,
    files: [
      {
        path: environmentFile,
        mode: 0o600,
        text: (former) => mergeEnvironmentFile(former, carriedVariables(host.environment)),
      },
      { path: unitFile, mode: 0o644, text: () => formatSystemdUnit(toUnit(host, choice, environmentFile)) },
    ],
    prepare: system && runAs === undefined ? [{ unless: ['id', '-u', account], command: addUser(account) }] : [],
    start: ({ isRunning, isEnabled }, hasChanged) => [
      ...(hasChanged ? [systemctl('daemon-reload')] : []),
      ...(isRunning && isEnabled ? [] : [systemctl('enable', '--now', unitName)]),
      ...(isRunning && hasChanged ? [systemctl('restart', unitName)] : []),
    ],
    stop: ({ isKnown }) => (isKnown ? [systemctl('disable', '--now', unitName)] : []),
    afterRemoval: [systemctl('daemon-reload')],
    query: systemctl('show', unitName, '--property=LoadState,ActiveState,SubState,UnitFileState,MainPID'),
    toState: toSystemdState,
    logs: (lines, follow) => [
      'journalctl',
      ...(system ? [] : ['--user']),
      '--unit',
      unitName,
      '--lines',
      String(lines),
      ...(follow ? ['--follow'] : []),
    ],
    notes: system
      ? [
          `Models are in ${systemStateFolder}/models. Keys: \`runuser -u ${account} -- env HOME=${systemStateFolder} hearth keys create NAME\`.`,
        ]
      : [`It runs while ${host.user} is logged in. \`loginctl enable-linger ${host.user}\` keeps it running.`],
  };
}

function addUser(account: string): SystemCommand {
  return ['useradd', '--system', '--home-dir', systemStateFolder, '--shell', '/usr/sbin/nologin', account];
}

function toUnit(
  { command, groups }: ServiceHost,
  { system, runAs }: ServiceChoice,
  environmentFile: string,
): SystemdUnit {
  const unit = { command: [...command, 'serve'], environmentFile };
  if (!system) return unit;
  const inHome = command.find((path) => /^\/(?:home|root|Users)\//.test(path));
  if (inHome !== undefined && runAs === undefined) throw unreadable(inHome);
  return {
    ...unit,
    system: {
      user: runAs ?? ownAccount,
      // A group that does not exist would prevent the start.
      gpuGroups: gpuGroups.filter((name) => groups.includes(name)),
      readsHome: inHome !== undefined,
    },
  };
}

function unreadable(path: string): HearthError {
  const message = `${path} is in a home folder, which the user ${ownAccount} of a system service cannot read. Install a user service without --system, install Node and Hearth for all users, or name the owner with --run-as`;
  return new HearthError('bad_request', message);
}

/** Lines such as `ActiveState=active`. A unit that does not exist is "not-found". */
export function toSystemdState({ code, stdout }: CommandOutcome): ServiceState {
  const values = new Map(stdout.split('\n').map((line) => line.split('=', 2) as [string, string]));
  const value = (name: string): string => values.get(name) ?? '';
  const isKnown = code === 0 && value('LoadState') === 'loaded';
  if (!isKnown) return { isKnown, isRunning: false, isEnabled: false, description: 'not installed' };
  const pid = value('MainPID');
  const process = pid === '' || pid === '0' ? '' : `, process ${pid}`;
  return {
    isKnown,
    isRunning: value('ActiveState') === 'active',
    isEnabled: value('UnitFileState') === 'enabled',
    description: `${value('ActiveState')} (${value('SubState')})${process}`,
  };
}
