// Starts `hearth serve` in the background. It is independent of the command: it stays for other commands, and ends when
// it has had no work for a while.

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { processEnvironment } from '../../base/config/environment.ts';
import { stateFolder } from '../../base/config/state-folder.ts';
import { HearthError } from '../../base/errors.ts';
import { type Clock, keepProcessAlive } from '../../base/time/clock.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { HearthClient } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import { loadSetting } from '../../settings/load-settings.ts';
import { findServer } from './find-server.ts';
import { openServerLog, type ServerLog } from './server-log.ts';

export interface BackgroundServerOptions {
  readonly client: HearthClient;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** The command line of `hearth serve`. */
  readonly command: readonly [program: string, ...words: string[]];
  readonly signal: AbortSignal;
}

const defaultIdleExit = '10m';
// The first start installs the embedded models, which can take a while.
const startTimeoutMs = 60_000;
const pollIntervalMs = 50;
// How long to wait for another command's server after ours has found its address or store in use.
const otherTimeoutMs = 10_000;

/** Resolves when the server answers. */
export async function startBackgroundServer(options: BackgroundServerOptions): Promise<void> {
  const { client, print, command } = options;
  const log = await openServerLog(join(stateFolder(), 'server.log'));
  print(`No server is running at ${client.url}; starting one in the background. Its log is ${log.path}\n`);
  const release = keepProcessAlive();
  try {
    const [program, ...words] = command;
    const child = spawn(program, [...words, '--background', ...idleExit()], {
      stdio: ['ignore', log.descriptor, log.descriptor],
      // A session of its own, which Ctrl-C and a closed terminal do not reach.
      detached: true,
      windowsHide: true,
    });
    try {
      await untilAnswering(child, { ...options, log });
    } catch (error) {
      child.kill('SIGTERM');
      throw error;
    } finally {
      // The command does not wait for its end.
      child.unref();
    }
  } finally {
    release();
    await log.close();
  }
}

/** The user's setting, from the environment or the config file, wins. */
function idleExit(): string[] {
  const setting = loadSetting('idleExit', { environment: processEnvironment, flags: {} });
  return setting === 'auto' ? ['--idle-exit', defaultIdleExit] : [];
}

interface Waiting {
  readonly client: HearthClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: ServerLog;
}

async function untilAnswering(child: ChildProcess, { client, clock, signal, log }: Waiting): Promise<void> {
  let ended: string | undefined;
  let reason = 'it did not answer in time';
  let deadline = clock.now() + startTimeoutMs;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', () => {
    ended ??= '';
  });
  for (;;) {
    const failure = await findServer(client, signal);
    if (failure === undefined) return;
    // Another program has the port since.
    if (failure.kind === 'foreign') throw failure;
    if (ended !== undefined) {
      reason = ended || findReason(await log.lastLines());
      // Another command has started a server at the same time, which does not answer yet.
      if (!reason.includes(inUse)) throw startFailure(reason, log);
      deadline = Math.min(deadline, deadlineOfOther(reason, clock.now()));
    }
    if (clock.now() > deadline) throw startFailure(reason, log);
    await pause(clock, signal);
  }
}

const inUse = ' is in use by another ';

/** Until when another server may begin to answer. One that has the store for longer listens at another address. */
export function deadlineOfOther(reason: string, now: number): number {
  const since = parseTimestamp(/, since (\S+Z)\./.exec(reason)?.[1] ?? '');
  return (Number.isNaN(since) ? now : since) + otherTimeoutMs;
}

/** The server of another command may write to the same log, also after the error. */
function findReason(lines: readonly string[]): string {
  const line = lines.findLast((text) => text.includes(inUse)) ?? lines.findLast((text) => text.startsWith('Error: '));
  return (line ?? lines.at(-1) ?? 'it ended').replace(/^Error: /, '');
}

function startFailure(reason: string, { path }: ServerLog): HearthError {
  return new HearthError('load_failed', `failed to start the server: ${reason} (log: ${path})`);
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      timer.cancel();
      reject(new ClientError('cancelled', 'cancelled'));
    };
    const timer = clock.after(pollIntervalMs, () => {
      signal.removeEventListener('abort', cancel);
      resolve();
    });
    signal.addEventListener('abort', cancel, { once: true });
  });
}
