// hearth service install, status, logs, uninstall: the server as a service of systemd or launchd.

import { type CliContext, type CommandInput, type CommandSpec, exitCodes, type OptionSpec } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { ClientError } from '../../client/client-error.ts';
import type { Feature } from '../feature.ts';
import type { ServiceHost } from './service-host.ts';
import type { ServiceManager } from './service-manager.ts';

const systemOption: OptionSpec = {
  flags: '--system',
  help: 'A service of the machine, with an account of its own; needs root (default: a service of this user)',
};
const runAsOption: OptionSpec = { flags: '--run-as <user>', help: 'The account of a service of the machine' };
const dryRunOption: OptionSpec = { flags: '--dry-run', help: 'Show what would be done, and do nothing' };

const defaultLines = 100;

const serviceCommand: CommandSpec = {
  name: 'service',
  summary: 'Run the server as a service',
  examples: ['hearth service install --dry-run'],
  commands: [
    {
      name: 'install',
      summary: 'Install and start a service of systemd or launchd',
      description:
        'Shows every file before it is written. Settings that are set as variables now are written to a file that the service reads; variables in that file that are not set now stay. A second run changes only what is different. The service starts again after a crash, and when the machine or the session starts.',
      options: [systemOption, runAsOption, dryRunOption],
      examples: ['hearth service install', 'HEARTH_KEEP_ALIVE=1h hearth service install --dry-run'],
      execute: (context, input) => manage(context, input, 'install'),
    },
    {
      name: 'status',
      summary: 'Show whether the service runs',
      description: 'The exit code is 1 if it does not.',
      options: [systemOption],
      examples: ['hearth service status'],
      async execute(context, { options }) {
        const { host, manager } = await open(context, options);
        return showStatus(context, host, manager);
      },
    },
    {
      name: 'logs',
      summary: 'Show the log of the service',
      options: [
        systemOption,
        { flags: '-f, --follow', help: 'Wait for new lines' },
        { flags: '-n, --lines <number>', help: `How many lines to show (default ${defaultLines})` },
      ],
      examples: ['hearth service logs --follow'],
      ownsSignals: true,
      async execute(context, { options }) {
        const { host, manager } = await open(context, options);
        const lines = Number.parseInt(String(options['lines'] ?? defaultLines), 10) || defaultLines;
        const [file, ...args] = manager.logs(lines, options['follow'] === true);
        const { runProgram } = await import('../../cli/programs/run-program.ts');
        return runProgram({ file, args, environment: host.environment, terminal: context.terminal });
      },
    },
    {
      name: 'uninstall',
      summary: 'Stop and remove the service',
      description: 'Models, keys and logs stay. A file that was there before the installation is restored.',
      options: [systemOption, dryRunOption],
      examples: ['hearth service uninstall --dry-run'],
      execute: (context, input) => manage(context, input, 'uninstall'),
    },
  ],
};

export const serviceFeature: Feature = { commands: [serviceCommand] };

/** The installed service. */
async function open(
  { packageFolder }: CliContext,
  options: CommandInput['options'],
): Promise<{ host: ServiceHost; manager: ServiceManager }> {
  const { createServiceHost } = await import('./service-host.ts');
  const { findManager } = await import('./choose-manager.ts');
  const host = createServiceHost(packageFolder);
  return { host, manager: findManager(host, { system: options['system'] === true, runAs: undefined }) };
}

async function manage(
  context: CliContext,
  { options }: CommandInput,
  action: 'install' | 'uninstall',
): Promise<undefined> {
  const { createServiceHost } = await import('./service-host.ts');
  const { checkHost, chooseManager } = await import('./choose-manager.ts');
  const { installService, uninstallService } = await import('./install-service.ts');
  const host = createServiceHost(context.packageFolder);
  const dryRun = options['dryRun'] === true;
  const choice = { system: options['system'] === true, runAs: options['runAs'] as string | undefined };
  const manager = chooseManager(host, choice);
  if (!dryRun) checkHost(host, choice, `service ${action} --system`);
  const task = { host, manager, dryRun, print: context.terminal.stdout.write };
  if (action === 'uninstall') await uninstallService(task);
  else await installService(task, await findOtherServer(context));
  return undefined;
}

/** The address of a server that runs already. */
async function findOtherServer({ client, signal }: CliContext): Promise<string | undefined> {
  const { findServer } = await import('../../cli/background/find-server.ts');
  const failure = await findServer(client(), signal);
  return failure?.kind === 'unreachable' ? undefined : client().url;
}

async function showStatus(context: CliContext, host: ServiceHost, manager: ServiceManager): Promise<number> {
  const { readState } = await import('./install-service.ts');
  const { isKnown, isRunning, isEnabled, description } = await readState({ host, manager });
  const file = manager.files.at(-1)?.path ?? '';
  const rows = [
    ['service', isKnown ? `${manager.title}, ${file}` : `${manager.title} is not installed`],
    ...(isKnown
      ? [
          ['state', description],
          ['starts by itself', isEnabled ? 'yes' : 'no'],
        ]
      : []),
    ['server', await describeServer(context)],
  ];
  const width = Math.max(...rows.map(([label = '']) => label.length));
  for (const [label = '', value = ''] of rows)
    context.terminal.stdout.write(`${label.padEnd(width)}  ${safeLine(value)}\n`);
  return isRunning ? exitCodes.success : exitCodes.failure;
}

async function describeServer({ client, signal }: CliContext): Promise<string> {
  const { url } = client();
  try {
    const { hearth } = await client().version(signal);
    return hearth === undefined ? `another program answers at ${url}` : `Hearth ${hearth} answers at ${url}`;
  } catch (error) {
    if (!(error instanceof ClientError) || signal.aborted) throw error;
    return error.message;
  }
}
