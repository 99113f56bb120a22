// launchd: an agent of the user, or a daemon of the system.

import { join } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { carriedVariables, type ServiceVariables } from './environment-file.ts';
import type { CommandOutcome, ServiceHost } from './service-host.ts';
import { type ServiceChoice, type ServiceManager, type ServiceState, serviceMark } from './service-manager.ts';

const label = 'hearth-server';

export function createLaunchdManager(host: ServiceHost, { system, runAs }: ServiceChoice): ServiceManager {
  const library = system ? host.library : join(host.home, 'Library');
  const plistFile = join(library, system ? 'LaunchDaemons' : 'LaunchAgents', `${label}.plist`);
  const logFile = join(library, 'Logs', 'hearth.log');
  const domain = system ? 'system' : `gui/${host.uid}`;
  const target = `${domain}/${label}`;
  const text = (): string =>
    formatLaunchdPlist({
      command: [...host.command, 'serve'],
      variables: { ...(system ? homeOf(runAs) : {}), ...carriedVariables(host.environment) },
      logFile,
      user: system ? runAs : undefined,
    });
  return {
    title: `the launchd ${system ? 'daemon' : 'agent'} ${label}`,
    // The settings in it can be secret.
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

/** launchd does not set HOME for daemons. */
function homeOf(runAs: string | undefined): ServiceVariables {
  if (runAs === undefined) throw new HearthError('bad_request', 'a daemon needs an account: name a user with --run-as');
  return { HOME: `/Users/${runAs}` };
}

/** `state = running` and `pid = 123`, among many other lines. The command fails for a job that is not loaded. */
function toLaunchdState({ code, stdout }: CommandOutcome): ServiceState {
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

export type PlistValue = string | number | boolean | readonly PlistValue[] | { readonly [key: string]: PlistValue };

interface LaunchdJob {
  readonly command: readonly string[];
  /** launchd has no environment files. */
  readonly variables: ServiceVariables;
  readonly logFile: string;
  /** Absent for an agent. */
  readonly user?: string;
}

export function formatLaunchdPlist({ command, variables, logFile, user }: LaunchdJob): string {
  const job: PlistValue = {
    Label: label,
    ProgramArguments: command,
    ...(user === undefined ? {} : { UserName: user }),
    EnvironmentVariables: variables,
    RunAtLoad: true,
    // A server that was stopped stays stopped.
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 3,
    // In seconds: running requests may finish (HEARTH_SHUTDOWN_GRACE).
    ExitTimeOut: 60,
    // Other types get less of the processor.
    ProcessType: 'Interactive',
    SoftResourceLimits: { NumberOfFiles: 65_536 },
    StandardOutPath: logFile,
    StandardErrorPath: logFile,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by \`${serviceMark}\`, which replaces it. -->
<plist version="1.0">
${formatValue(job, '')}
</plist>
`;
}

function formatValue(value: PlistValue, indent: string): string {
  if (typeof value === 'string') return `${indent}<string>${escapeXml(value)}</string>`;
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${indent}<${value}/>`;
  const inner = `${indent}  `;
  if (isList(value))
    return `${indent}<array>\n${value.map((item) => `${formatValue(item, inner)}\n`).join('')}${indent}</array>`;
  const entries = Object.entries(value).map(
    ([key, item]) => `${inner}<key>${escapeXml(key)}</key>\n${formatValue(item, inner)}\n`,
  );
  return `${indent}<dict>\n${entries.join('')}${indent}</dict>`;
}

function isList(value: PlistValue): value is readonly PlistValue[] {
  return Array.isArray(value);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
