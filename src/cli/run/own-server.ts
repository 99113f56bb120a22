// Starts a server for the duration of `hearth run` if none is running. It is a separate process, so that other clients
// can use it meanwhile and Ctrl-C reaches only the command.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { HearthClient } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import { safeText } from '../output/format.ts';

export interface OwnServer {
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface OwnServerOptions {
  readonly client: HearthClient;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** The command line of `hearth serve`. */
  readonly command: readonly [program: string, ...words: string[]];
  readonly signal: AbortSignal;
}

// Milliseconds. The first start installs the embedded models, which can take a while.
const startTimeout = 60_000;
const stopTimeout = 15_000;
const maxLogLength = 4096;

/** undefined: a server is already running. Throws if it would have to run on another machine. */
export async function ensureServer(options: OwnServerOptions): Promise<OwnServer | undefined> {
  try {
    await options.client.version(options.signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== 'unreachable') throw error;
    if (!isLocal(options.client.url)) throw error;
    return startOwnServer(options);
  }
}

function isLocal(url: string): boolean {
  const { hostname, protocol } = new URL(url);
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

async function startOwnServer({ client, clock, print, command, signal }: OwnServerOptions): Promise<OwnServer> {
  print(`No server is running at ${client.url}; starting one for this command\n`);
  const [program, ...words] = command;
  // The IPC channel lets the server notice that this process was killed. `detached` keeps Ctrl-C from reaching it.
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-maxLogLength);
  });
  const ended = once(child, 'close').then(
    () => {},
    () => {},
  );
  const stop = (): Promise<void> => stopChild(child, ended, clock);
  try {
    await untilListening(child, { clock, signal, lastLine: () => lastLineOf(log) });
  } catch (error) {
    await stop();
    // Another run may have started a server at the same time.
    if (await client.version(signal).catch(() => undefined)) return { stop: async () => {} };
    throw error;
  }
  return { stop };
}

interface WaitOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The last line of the server's log. */
  readonly lastLine: () => string;
}

function untilListening(child: ChildProcess, { clock, signal, lastLine }: WaitOptions): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    const timer = clock.after(startTimeout, () => fail(`the server did not start in time: ${lastLine()}`));
    const fail = (message: string): void => settle(() => reject(new HearthError('load_failed', message)));
    const settle = (result: () => void): void => {
      timer.cancel();
      signal.removeEventListener('abort', cancel);
      result();
    };
    const cancel = (): void => settle(() => reject(new ClientError('cancelled', 'cancelled')));
    signal.addEventListener('abort', cancel);
    child.stdout?.on('data', (chunk) => {
      if (output.length < maxLogLength) output += chunk;
      if (output.includes('listening on ')) settle(resolve);
    });
    child.once('error', (error) => fail(`failed to start the server: ${error.message}`));
    child.once('close', () => fail(`failed to start the server: ${lastLine()}`));
  });
}

/** Without the prefix "Error:", since it becomes part of another error. */
function lastLineOf(log: string): string {
  const line = safeText(log).trim().split('\n').at(-1) ?? '';
  return line.replace(/^Error: /, '');
}

async function stopChild(child: ChildProcess, ended: Promise<void>, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  const timer = clock.after(stopTimeout, () => child.kill('SIGKILL'));
  await ended;
  timer.cancel();
}
