// A server of our own, where none runs: started for this run alone, and ended with it. It is another process, so that it
// goes on answering others as long as it lives, and so that Ctrl-C reaches only the command.

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
  readonly say: (text: string) => void;
  /** What starts `hearth serve`. */
  readonly command: readonly [program: string, ...words: string[]];
  readonly signal: AbortSignal;
}

/** Installing the models that come along may take a while on the first start. */
const patience = 60_000;
const stopPatience = 15_000;
const keptOfLog = 4096;

/** undefined: there is a server already. Only on this machine one can be started. */
export async function ensureServer(options: OwnServerOptions): Promise<OwnServer | undefined> {
  try {
    await options.client.version(options.signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== 'unreachable') throw error;
    if (!isHere(options.client.url)) throw error;
    return startOwnServer(options);
  }
}

function isHere(url: string): boolean {
  const { hostname, protocol } = new URL(url);
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

async function startOwnServer({ client, clock, say, command, signal }: OwnServerOptions): Promise<OwnServer> {
  say(`No server runs at ${client.url}: starting one for this run\n`);
  const [program, ...words] = command;
  // With a channel between the two, the server notices when this process is killed. Its own group keeps Ctrl-C away.
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-keptOfLog);
  });
  const ended = once(child, 'close').then(
    () => {},
    () => {},
  );
  const stop = (): Promise<void> => stopChild(child, ended, clock);
  try {
    await untilListening(child, { clock, signal, lastWords: () => lastWordsOf(log) });
  } catch (error) {
    await stop();
    // Another run may have had the same thought a moment earlier.
    if (await client.version(signal).catch(() => undefined)) return { stop: async () => {} };
    throw error;
  }
  return { stop };
}

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly lastWords: () => string;
}

function untilListening(child: ChildProcess, { clock, signal, lastWords }: Waiting): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    const timer = clock.after(patience, () => fail(`the server did not start in time: ${lastWords()}`));
    const fail = (message: string): void => settle(() => reject(new HearthError('load_failed', message)));
    const settle = (result: () => void): void => {
      timer.cancel();
      signal.removeEventListener('abort', giveUp);
      result();
    };
    const giveUp = (): void => settle(() => reject(new ClientError('cancelled', 'cancelled')));
    signal.addEventListener('abort', giveUp);
    child.stdout?.on('data', (chunk) => {
      if (said.length < keptOfLog) said += chunk;
      if (said.includes('listening on ')) settle(resolve);
    });
    child.once('error', (error) => fail(`the server could not be started: ${error.message}`));
    child.once('close', () => fail(`the server could not be started: ${lastWords()}`));
  });
}

/** The last thing that it said, without what it says of itself. */
function lastWordsOf(log: string): string {
  const line = safeText(log).trim().split('\n').at(-1) ?? '';
  return line.replace(/^Error: /, '');
}

async function stopChild(child: ChildProcess, ended: Promise<void>, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  const timer = clock.after(stopPatience, () => child.kill('SIGKILL'));
  await ended;
  timer.cancel();
}
