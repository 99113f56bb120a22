// systemd: a service of the user, or of the system. The unit is made from deploy/hearth.service.

import { join } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { carriedVariables, mergeEnvironmentFile } from './environment-file.ts';
import type { CommandOutcome, ServiceHost, SystemCommand } from './service-host.ts';
import { type ServiceChoice, type ServiceManager, type ServiceState, serviceMark } from './service-manager.ts';

const unitName = 'hearth.service';
// As in the template.
const systemStateFolder = '/var/lib/hearth';
const ownAccount = 'hearth';
// The usual owners of /dev/dri and /dev/nvidia*.
const gpuGroups = ['video', 'render'] as const;

export function createSystemdManager(host: ServiceHost, { system, runAs }: ServiceChoice): ServiceManager {
  const systemctl = (...words: string[]): SystemCommand => ['systemctl', ...(system ? [] : ['--user']), ...words];
  const environmentFile = system ? join(host.etc, 'hearth', 'hearth.env') : join(host.home, '.hearth', 'service.env');
  const unitFolder = system ? join(host.etc, 'systemd', 'system') : join(host.home, '.config', 'systemd', 'user');
  const account = runAs ?? ownAccount;
  return {
    title: `the ${system ? 'system' : 'user'} service ${unitName}`,
    files: [
      {
        path: environmentFile,
        mode: 0o600,
        text: (former) => mergeEnvironmentFile(former, carriedVariables(host.environment)),
      },
      {
        path: join(unitFolder, unitName),
        mode: 0o644,
        text: () => renderUnit(host.readUnitTemplate(), toUnit(host, { system, runAs }, environmentFile)),
      },
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
  if (inHome !== undefined && runAs === undefined)
    throw new HearthError(
      'bad_request',
      `${inHome} is in a home folder, which the user ${ownAccount} of a system service cannot read. Install a user service without --system, install Node and Hearth for all users, or name the owner with --run-as`,
    );
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

/** Lines such as `ActiveState=active`. A unit that does not exist is "not-found". */
function toSystemdState({ code, stdout }: CommandOutcome): ServiceState {
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

interface SystemdUnit {
  /** Absolute paths of the program and its script, and further words. */
  readonly command: readonly string[];
  readonly environmentFile: string;
  /** Absent for a user service. */
  readonly system?: {
    readonly user: string;
    /** The groups that may use GPUs. */
    readonly gpuGroups: readonly string[];
    /** The program is in a home folder. */
    readonly readsHome: boolean;
  };
}

// A user's manager has no accounts, no restrictions, and does not know when the network is there.
const systemOnly =
  /^(?:After|Wants|User|StateDirectory|Environment|Protect\w+|PrivateTmp|Restrict\w+|LockPersonality)=/;

/** Replaces the values of the template that depend on the machine. */
export function renderUnit(template: string, { command, environmentFile, system }: SystemdUnit): string {
  const values: Readonly<Record<string, string | undefined>> = {
    ExecStart: `ExecStart=${command.map(quoteWord).join(' ')}`,
    EnvironmentFile: `EnvironmentFile=-${escapeSpecifiers(environmentFile)}`,
    ...(system === undefined ? { WantedBy: 'WantedBy=default.target' } : toSystemLines(system)),
  };
  const lines = template
    .split('\n')
    .slice(1)
    .filter((line) => system !== undefined || !systemOnly.test(line));
  const rendered = lines.map((line) => values[/^(\w+)=/.exec(line)?.[1] ?? ''] ?? line).join('\n');
  const edit = `systemctl ${system === undefined ? '--user ' : ''}edit hearth`;
  return `# Written by \`${serviceMark}\`, which replaces it. \`${edit}\` makes changes that stay.\n${rendered}`;
}

function toSystemLines({ user, gpuGroups: groups, readsHome }: NonNullable<SystemdUnit['system']>) {
  const groupLine = groups.length === 0 ? '' : `\nSupplementaryGroups=${groups.join(' ')}`;
  return { User: `User=${user}${groupLine}`, ProtectHome: `ProtectHome=${readsHome ? 'read-only' : 'yes'}` };
}

/** systemd replaces `%h` and `$NAME`. */
function quoteWord(word: string): string {
  const escaped = escapeSpecifiers(word).replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

function escapeSpecifiers(text: string): string {
  return text.replaceAll('%', '%%');
}
