// hearth service install, uninstall: shows every file and command before it is written or run.

import { HearthError } from '../../base/errors.ts';
import { safeText } from '../../cli/output/format.ts';
import { createRedactor, findSecrets } from '../../cli/output/redact.ts';
import { loadUsableSettings } from '../../settings/load-settings.ts';
import { type PlannedFile, planFile, removeServiceFile, writeServiceFile } from './service-files.ts';
import type { ServiceHost, SystemCommand } from './service-host.ts';
import type { ServiceManager, ServiceState } from './service-manager.ts';

interface ServiceTask {
  readonly host: ServiceHost;
  readonly manager: ServiceManager;
  /** Shows everything and changes nothing. */
  readonly dryRun: boolean;
  readonly print: (text: string) => void;
}

/** `otherServer`: the address of a server that answers. A second call changes nothing. */
export async function installService(task: ServiceTask, otherServer?: string): Promise<void> {
  const { host, manager, dryRun, print } = task;
  const files = await Promise.all(manager.files.map(planFile));
  const changed = files.filter(({ hasChanged }) => hasChanged);
  const state = await readState(task);
  const commands = [...(await preparing(task)), ...manager.start(state, changed.length > 0)];
  if (changed.length === 0 && commands.length === 0) {
    print(`${capitalize(manager.title)} is installed and running. Nothing has changed.\n`);
    return;
  }
  const redact = createFileRedactor(host);
  for (const file of changed) print(describeFile(file, redact));
  for (const command of commands) print(`Run: ${command.join(' ')}\n`);
  const notes = [...commandNotes(host.command), ...portNotes(state, otherServer), ...manager.notes];
  for (const note of notes) print(`Note: ${safeText(note)}\n`);
  if (dryRun) return;
  for (const file of changed) await writeServiceFile(file);
  for (const command of commands) await runOrFail(host, command);
  print(`${capitalize(manager.title)} is installed and started. \`hearth service status\` shows it.\n`);
}

function portNotes({ isRunning }: ServiceState, otherServer: string | undefined): string[] {
  if (otherServer === undefined || isRunning) return [];
  return [
    `A server answers at ${otherServer}. Stop it: the service cannot listen there, and tries again until it can.`,
  ];
}

export async function uninstallService(task: ServiceTask): Promise<void> {
  const { host, manager, dryRun, print } = task;
  const paths = manager.files.map(({ path }) => path);
  const commands = manager.stop(await readState(task));
  for (const command of commands) print(`Run: ${command.join(' ')}\n`);
  for (const path of paths) print(`Remove: ${safeText(path)}\n`);
  if (dryRun) return;
  for (const command of commands) await runOrFail(host, command);
  const results = await Promise.all(paths.map(removeServiceFile));
  if (results.every((result) => result === 'absent')) {
    print(`${capitalize(manager.title)} was not installed.\n`);
    return;
  }
  for (const command of manager.afterRemoval) await runOrFail(host, command);
  const restored = paths.filter((_, index) => results[index] === 'restored');
  for (const path of restored) print(`Restored the file that was there before: ${safeText(path)}\n`);
  print(`${capitalize(manager.title)} is removed. Models, keys and logs are still there.\n`);
}

export async function readState({ host, manager }: Pick<ServiceTask, 'host' | 'manager'>): Promise<ServiceState> {
  return manager.toState(await host.run(manager.query));
}

async function preparing({ host, manager }: ServiceTask): Promise<SystemCommand[]> {
  const needed = await Promise.all(
    manager.prepare.map(async ({ unless, command }) => ((await host.run(unless)).code === 0 ? [] : [command])),
  );
  return needed.flat();
}

function describeFile({ path, mode, text, backup }: PlannedFile, redact: (text: string) => string): string {
  const kept = backup === undefined ? '' : `; the file that is there becomes ${safeText(backup)}`;
  const lines = safeText(redact(text)).trimEnd().split('\n');
  return `Write ${safeText(path)} (mode ${mode.toString(8)})${kept}:\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n\n`;
}

/** A terminal can be recorded; the file has the values. */
function createFileRedactor({ environment }: ServiceHost): (text: string) => string {
  const { settings } = loadUsableSettings({ environment, flags: {} });
  return createRedactor({ home: '', secrets: findSecrets(environment, settings) });
}

async function runOrFail(host: ServiceHost, command: SystemCommand): Promise<void> {
  const { code, stdout, stderr } = await host.run(command);
  if (code === 0) return;
  const reason =
    code === undefined ? 'the program is not installed' : stderr.trim() || stdout.trim() || `exit code ${code}`;
  const message = `\`${command.join(' ')}\` failed: ${reason}${hintFor(reason)}`;
  throw new HearthError('internal', message);
}

function hintFor(reason: string): string {
  return /connect to (?:user scope )?bus/i.test(reason)
    ? '. There is no session of this user: log in directly, run `loginctl enable-linger` for the user first, or install a system service with --system'
    : '';
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** What may happen to the paths that the service runs. */
export function commandNotes(command: SystemCommand): string[] {
  const path = command.find((word) => /[/\\]_npx[/\\]/.test(word));
  if (path !== undefined)
    return [`${path} is in the cache of npx and can disappear. Install the package with \`npm install -g\` first.`];
  const versioned = command.find((word) => /[/\\]v?\d+\.\d+(?:\.\d+)?(?=[-/\\])/.test(word));
  if (versioned === undefined) return [];
  return [`${versioned} contains a version. After an update of Node or Hearth, run \`hearth service install\` again.`];
}
