// The servers that commands have started in the background. Each one has a file in the state folder, so that
// `hearth serve` and `hearth stop --server` find them.
//
//   background/<process id>.json

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import { HearthError } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { socketPathOf } from '../../base/net/socket-path.ts';
import { identityOf, isProcessAlive, isRunning, type ProcessIdentity } from '../../base/process/process-identity.ts';
import type { Clock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';

interface BackgroundServer extends ProcessIdentity {
  /** 0 if it listens on a Unix socket. */
  readonly port: number;
  /** The path of the Unix socket. */
  readonly socket?: string;
  /** The folder of its store. */
  readonly models: string;
}

// Running answers may finish within the grace period of the server, which is a setting.
const endTimeoutMs = 60_000;
const pollIntervalMs = 50;

const recordFolder = (): string => join(stateFolder(), 'background');

/** Records this process, until it ends. */
export async function recordBackgroundServer(url: string, models: string): Promise<void> {
  await makeFolder(recordFolder(), { mode: 0o700 });
  const record: BackgroundServer = { ...identityOf(process.pid), ...placeOf(url), models };
  const path = join(recordFolder(), `${process.pid}.json`);
  await writeFile(path, JSON.stringify(record), { mode: 0o600 });
  process.once('exit', () => rmSync(path, { force: true }));
}

/** Removes the files of those that have ended. */
export async function findBackgroundServers(): Promise<BackgroundServer[]> {
  const names = await readdir(recordFolder()).catch(() => []);
  const servers: BackgroundServer[] = [];
  for (const name of names) {
    const path = join(recordFolder(), name);
    const server = parseRecord(await readFile(path, 'utf8').catch(() => ''));
    if (server !== undefined && (isRunning(server) ?? (await isListening(server)))) servers.push(server);
    else await rm(path, { force: true });
  }
  return servers;
}

export function isAtUrl({ port, socket }: BackgroundServer, url: string): boolean {
  const place = placeOf(url);
  return place.port === port && place.socket === socket;
}

function placeOf(url: string): Pick<BackgroundServer, 'port' | 'socket'> {
  const socket = socketPathOf(url);
  if (socket !== undefined) return { port: 0, socket };
  const { port, protocol } = new URL(url);
  return { port: port === '' ? schemePorts[protocol as keyof typeof schemePorts] : Number(port) };
}

const schemePorts = { 'http:': 80, 'https:': 443 };

/** Resolves when the server has ended. */
export async function endBackgroundServer(server: BackgroundServer, clock: Clock): Promise<void> {
  process.kill(server.pid, 'SIGTERM');
  const deadline = clock.now() + endTimeoutMs;
  while (isRunning(server) ?? isProcessAlive(server.pid)) {
    if (clock.now() > deadline)
      throw new HearthError('busy', `the server in the background, process ${server.pid}, does not end`);
    await pause(clock, pollIntervalMs, { keepsProcessAlive: true });
  }
}

/** Where the system does not report when a process began, another one may have its id now. */
async function isListening({ pid, port, socket: path }: BackgroundServer): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  const socket = connect(path === undefined ? { host: 'localhost', port } : { path });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function parseRecord(text: string): BackgroundServer | undefined {
  try {
    const record = JSON.parse(text) as BackgroundServer;
    const isValid = Number.isSafeInteger(record.pid) && record.pid > 1 && typeof record.models === 'string';
    return isValid && Number.isSafeInteger(record.port) ? record : undefined;
  } catch {
    return undefined;
  }
}
