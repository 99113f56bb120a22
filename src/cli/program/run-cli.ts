// Runs a command line and returns its exit code. All errors are printed here.

import { CommanderError } from 'commander';
import { isCancelled } from '../../client/client-error.ts';
import { type CommandInput, type CommandSpec, exitCodes } from '../command.ts';
import { explain } from '../output/explain.ts';
import { openTerminal, styled, type Terminal } from '../terminal.ts';
import { buildProgram } from './build-program.ts';
import { type CliOptions, createCliContext } from './create-context.ts';
import { addOptionalValues } from './optional-values.ts';

const maxHelpWidth = 100;

export async function runCli(options: CliOptions & { readonly words: readonly string[] }): Promise<number> {
  const { words, commands } = options;
  const terminal = openTerminal();
  const interruption = new AbortController();
  const { context, close } = createCliContext(options, terminal, interruption.signal);
  let exitCode: number = exitCodes.success;
  let debug = false;
  const execute = async (spec: CommandSpec, input: CommandInput): Promise<void> => {
    debug = input.options['debug'] === true;
    if (!spec.ownsSignals) onInterrupt(() => interruption.abort());
    exitCode = (await spec.execute?.(context, input)) ?? exitCodes.success;
  };
  const program = buildProgram({
    commands,
    writeOut: terminal.stdout.write,
    writeError: terminal.stderr.write,
    width: Math.min(terminal.stdout.width(), maxHelpWidth),
    onCommand: execute,
  });
  const [first] = words;
  try {
    const given = first === '-v' || first === '--version' ? ['version'] : words;
    if (first === undefined) program.outputHelp();
    else await program.parseAsync(addOptionalValues(given, commands), { from: 'user' });
    return exitCode;
  } catch (error) {
    return fail(error, { terminal, debug, interrupted: interruption.signal.aborted });
  } finally {
    close();
  }
}

function onInterrupt(callback: () => void): void {
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // A second signal exits without waiting for the cleanup.
      if (interrupted) process.exit(exitCodes.interrupted);
      interrupted = true;
      callback();
    });
}

interface FailureContext {
  readonly terminal: Terminal;
  readonly debug: boolean;
  readonly interrupted: boolean;
}

function fail(error: unknown, { terminal, debug, interrupted }: FailureContext): number {
  // Commander has already printed the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  if (interrupted || isCancelled(error)) return exitCodes.interrupted;
  const { stderr } = terminal;
  stderr.write(`${styled(stderr, 'red', 'Error:')} ${explain(error)}\n`);
  if (debug && error instanceof Error) stderr.write(`${error.stack ?? ''}\n${causesOf(error)}`);
  return exitCodes.failure;
}

function causesOf(error: Error): string {
  if (!(error.cause instanceof Error)) return '';
  return `caused by ${error.cause.stack ?? error.cause.message}\n${causesOf(error.cause)}`;
}
