// Runs a command line and returns its exit code. All errors are printed here.

import { CommanderError } from 'commander';
import type { Clock } from '../base/time/clock.ts';
import { createClient, type HearthClient } from '../client/client.ts';
import { isCancelled } from '../client/client-error.ts';
import type { TransportOptions } from '../client/transport.ts';
import { buildProgram } from './build-program.ts';
import { type CliContext, type CommandInput, type CommandSpec, exitCodes } from './command.ts';
import { versionCommandName } from './commands/version.ts';
import { explain } from './explain.ts';
import { addOptionalValues } from './optional-values.ts';
import { styled, type Terminal } from './terminal.ts';

export interface CliOptions {
  readonly words: readonly string[];
  readonly commands: readonly CommandSpec[];
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly version: string;
  /** Throws if the setting is invalid. */
  readonly serverUrl: () => string;
  /** The key for the server at this address, if there is one. Throws if it cannot be read. */
  readonly apiKey: (url: string) => string | undefined;
  /** For a server with TLS. */
  readonly createTlsContext: NonNullable<TransportOptions['createTlsContext']>;
  /** Whether a server that this program starts has TLS. */
  readonly servesTls: () => boolean;
  /** The command line of `hearth serve`, for a server in the background. */
  readonly serveCommand: readonly [program: string, ...words: string[]];
  /** Registers a callback for Ctrl-C. */
  readonly onInterrupt: (callback: () => void) => void;
}

const maxHelpWidth = 100;

export async function runCli(options: CliOptions): Promise<number> {
  const { terminal, commands } = options;
  const interruption = new AbortController();
  let client: HearthClient | undefined;
  let server: 'running' | 'started' | undefined;
  const context: CliContext = {
    terminal,
    clock: options.clock,
    version: options.version,
    signal: interruption.signal,
    client: () => {
      if (client) return client;
      const url = options.serverUrl();
      client = createClient(url, { key: options.apiKey(url), createTlsContext: options.createTlsContext });
      return client;
    },
    connect: async () => {
      // Only a server that this command has started may have ended since; another one is not replaced.
      if (server !== 'running') {
        const { ensureServer } = await import('./background/ensure-server.ts');
        const { terminal, clock, signal } = context;
        const command = options.serveCommand;
        const found = await ensureServer({
          client: context.client(),
          clock,
          signal,
          command,
          servesTls: options.servesTls(),
          print: terminal.stderr.write,
        });
        if (server === undefined) server = found;
      }
      return context.client();
    },
  };
  let exitCode: number = exitCodes.success;
  let debug = false;
  const execute = async (spec: CommandSpec, input: CommandInput): Promise<void> => {
    debug = input.options['debug'] === true;
    if (!spec.ownsSignals) options.onInterrupt(() => interruption.abort());
    exitCode = (await spec.execute?.(context, input)) ?? exitCodes.success;
  };
  const program = buildProgram({
    commands,
    writeOut: terminal.stdout.write,
    writeError: terminal.stderr.write,
    width: Math.min(terminal.stdout.width(), maxHelpWidth),
    onCommand: execute,
  });
  const [first] = options.words;
  try {
    const words = first === '-v' || first === '--version' ? [versionCommandName] : options.words;
    if (first === undefined) program.outputHelp();
    else await program.parseAsync(addOptionalValues(words, commands), { from: 'user' });
    return exitCode;
  } catch (error) {
    return fail(error, { terminal, debug, interrupted: interruption.signal.aborted });
  } finally {
    client?.close();
  }
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
