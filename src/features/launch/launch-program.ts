// hearth launch PROGRAM: finds the program, a server and a model, and runs the program with both.

import { processEnvironment } from '../../base/config/environment.ts';
import { HearthError } from '../../base/errors.ts';
import { socketPathOf } from '../../base/net/socket-path.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { CliContext } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { runProgram } from '../../cli/programs/run-program.ts';
import { styled } from '../../cli/terminal.ts';
import type { HearthClient } from '../../client/client.ts';
import { chooseTarget, previewTarget } from './choose-target.ts';
import { currentPlaces } from './config-files.ts';
import { findProgram } from './find-program.ts';
import { findWarnings } from './model-warnings.ts';
import { describeConfig } from './print-config.ts';
import type { Program, SavedConfig } from './program.ts';
import { restoreConfig } from './restore-config.ts';
import { saveConfig } from './save-config.ts';

interface LaunchInput {
  readonly program: Program;
  readonly model: string | undefined;
  /** Arguments of the program. */
  readonly args: readonly string[];
  readonly save: boolean;
}

/** Resolves with the exit code of the program. */
export async function launchProgram(context: CliContext, input: LaunchInput): Promise<number> {
  const { program } = input;
  const { stderr } = context.terminal;
  const saved = savedOf(input);
  checkAddress(context.client().url);
  const file = await findProgram(program);
  if (file === undefined) throw notInstalled(program);
  const { target, facts } = await chooseTarget(context, program, input.model);
  for (const warning of findWarnings(program, target, facts))
    stderr.write(`${styled(stderr, 'yellow', 'Warning:')} ${warning}\n`);
  if (saved !== undefined) await saveConfig(saved, { target, places: currentPlaces(), print: stderr.write });
  stderr.write(`Starting ${program.title} with ${safeLine(target.model)}\n`);
  const { environment, args = [] } = program.configure(target);
  const given = input.args.length > 0 ? input.args : (program.defaultArgs ?? []);
  const release = keepServer(context.client(), context.clock);
  try {
    return await runProgram({
      file,
      args: [...args, ...given],
      environment: { ...processEnvironment, ...environment },
      terminal: context.terminal,
    });
  } finally {
    release();
  }
}

/** Nothing is written, pulled or loaded, and the program need not be installed. */
export async function printConfig(context: CliContext, input: LaunchInput): Promise<void> {
  savedOf(input);
  checkAddress(context.client().url);
  const { target } = await previewTarget(context, input.program, input.model);
  context.terminal.stdout.write(describeConfig(input.program, { ...input, target, places: currentPlaces() }));
}

export async function restoreProgram({ terminal }: CliContext, { title, saved }: Program): Promise<void> {
  if (saved === undefined)
    throw new HearthError('unsupported', `hearth launch writes no file of ${title}, so nothing can be put back`);
  await restoreConfig(saved, { places: currentPlaces(), print: terminal.stderr.write });
}

/** Programs connect to a host and a port. */
function checkAddress(url: string): void {
  if (socketPathOf(url) === undefined) return;
  const message = `programs cannot use the Unix socket ${safeLine(url)}: start a server at an address, and set HEARTH_HOST to it, such as 127.0.0.1:11434`;
  throw new HearthError('unsupported', message);
}

/** What is written to a file. */
function savedOf({ program, save }: LaunchInput): SavedConfig | undefined {
  if (save && program.saved === undefined) throw cannotSave(program);
  return save || program.needsFile ? program.saved : undefined;
}

function notInstalled({ title, command, install }: Program): HearthError {
  const isPage = install.startsWith('https:');
  const next = isPage ? `${install} says how to install it` : `install it with \`${install}\``;
  return new HearthError('bad_request', `${title} is not installed: there is no command \`${command}\`; ${next}`);
}

function cannotSave({ title, name }: Program): HearthError {
  const message = `--save is not possible for ${title}; run \`hearth launch ${name}\` each time`;
  return new HearthError('unsupported', message);
}

const intervalMs = 60_000;

/**
 * A server in the background ends when it has had no work for a while. The user of a program may pause longer, so the
 * server gets a request from time to time. Returns a function that ends this.
 */
export function keepServer(client: Pick<HearthClient, 'ps'>, clock: Clock): () => void {
  const request = (): void => {
    timer = clock.after(intervalMs, request);
    // A server that cannot be reached is the program's to report.
    client.ps().catch(() => {});
  };
  let timer = clock.after(intervalMs, request);
  return () => timer.cancel();
}
