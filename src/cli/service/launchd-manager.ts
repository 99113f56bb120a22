// launchd: an agent of the user, or a daemon of the system.

import { join } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { carriedVariables, type Variables } from './environment-file.ts';
import { formatLaunchdPlist } from './launchd-plist.ts';
import type { CommandOutcome, ServiceHost } from './service-host.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';
import type { ServiceChoice } from './systemd-manager.ts';

const label = 'hearth-server';

export function createLaunchdManager(host: ServiceHost, { system, runAs }: ServiceChoice): ServiceManager {
  const library = system ? host.library : join(host.home, 'Library');
  const plistFile = join(library, system ? 'LaunchDaemons' : 'LaunchAgents', `${label}.plist`);
  const logFile = join(library, 'Logs', 'hearth.log');
  const domain = system ? 'system' : `gui/${host.uid}`;
  const target = `${domain}/${label}`;
  const text = (): string =>
    formatLaunchdPlist({
      label,
      command: [...host.command, 'serve'],
      variables: { ...(system ? homeOf(runAs) : {}), ...carriedVariables(host.environment) },
      logFile,
      ...(system && runAs !== undefined ? { user: runAs } : {}),
    });
  return {
    title: `the launchd ${system ? 'daemon' : 'agent'} ${label}`,
    // It contains settings, which can be secret.
    files: [{ path: plistFile, mode: 0o600, text }],
    prepare: [],
    start({ isKnown, isRunning }, hasChanged) {
      if (isKnown && !hasChanged) return isRunning ? [] : [['launchctl', 'kickstart', target]];
      return [
        // launchd keeps the property list that it has read.
        ...(isKnown ? [['launchctl', 'bootout', target] as const] : []),
        ['launchctl', 'enable', target],
        ['launchctl', 'bootstrap', domain, plistFile],
      ];
    },
    stop: ({ isKnown }) => (isKnown ? [['launchctl', 'bootout', target]] : []),
    afterRemoval: [],
    query: ['launchctl', 'print', target],
    toState: toLaunchdState,
    logs: (lines, follow) => ['tail', '-n', String(lines), ...(follow ? ['-F'] : []), logFile],
    notes: [`The settings are in ${plistFile}: after a change, run \`hearth service install\` again.`],
  };
}

/** launchd does not set it for daemons. */
function homeOf(runAs: string | undefined): Variables {
  if (runAs === undefined) throw new HearthError('bad_request', 'a daemon needs an account: name a user with --run-as');
  return { HOME: `/Users/${runAs}` };
}

/** `state = running` and `pid = 123`, among many other lines. It fails for a job that is not loaded. */
export function toLaunchdState({ code, stdout }: CommandOutcome): ServiceState {
  const value = (name: string): string | undefined =>
    stdout.split('\n').flatMap((line) => (line.trim().startsWith(`${name} = `) ? line.split(' = ').slice(1) : []))[0];
  const isKnown = code === 0;
  if (!isKnown) return { isKnown, isRunning: false, isEnabled: false, description: 'not installed' };
  const state = value('state') ?? 'unknown';
  const pid = value('pid');
  return {
    isKnown,
    isRunning: state === 'running',
    isEnabled: true,
    description: `${state}${pid === undefined ? '' : `, process ${pid}`}`,
  };
}
