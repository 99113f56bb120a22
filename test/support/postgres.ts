// A real PostgreSQL in a folder of its own, for one test file. It ends with the tests, also if they are killed.

import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';
import { pause } from './processes.ts';
import { spawnGuarded } from './spawn-guarded.ts';

/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? findUser('postgres') : undefined;
/** The folder of its programs; undefined if they are not installed, or cannot run here. */
export const postgresFolder = process.getuid?.() === 0 && user === undefined ? undefined : findPrograms();
if (postgresFolder === undefined) {
  const reason = 'PostgreSQL is not installed, or cannot run as another user: tests of shared state are skipped';
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.log(reason);
}

export interface TestPostgres {
  /** Creates an empty database and returns its address. */
  createDatabase(): string;
  start(): Promise<void>;
  /** `SIGINT` ends all connections at once, as a fast shutdown does. */
  stop(): Promise<void>;
  /** The result of a query in that database, as psql prints it without a frame. */
  ask(address: string, sql: string): string;
  remove(): Promise<void>;
}

const password = 'p@ss:word/%20?#';
const roleName = 'hearth';

export async function startPostgres(): Promise<TestPostgres> {
  const programs = postgresFolder ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'hearth-postgres-'));
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const settings = ['-A', 'scram-sha-256', '-U', roleName, `--pwfile=${passwordFile}`, '--no-sync', '-E', 'UTF8'];
  execFileSync(join(programs, 'initdb'), ['-D', data, ...settings], { ...user, stdio: 'pipe', cwd: folder });
  const port = await freePort();
  let server: ChildProcess | undefined;
  let databases = 0;
  const addressOf = (database: string): string =>
    `postgres://${roleName}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  const ask = (address: string, sql: string): string =>
    execFileSync('psql', [address, '-X', '-A', '-t', '-q', '-c', sql], { encoding: 'utf8' }).trim();
  const start = async (): Promise<void> => {
    const words = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'max_connections=100'];
    const [program, args] = user
      ? [
          'setpriv',
          [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', join(programs, 'postgres'), ...words],
        ]
      : [join(programs, 'postgres'), words];
    server = spawnGuarded(program, args, { env: { PATH: process.env['PATH'], LC_ALL: 'C' } });
    server.stderr?.resume();
    server.stdout?.resume();
    while (!(await accepts(port))) {
      if (server.exitCode !== null) throw new Error('PostgreSQL did not start');
      await pause(50);
    }
    // It accepts connections before it answers.
    while (!answers(() => ask(addressOf('postgres'), 'SELECT 1'))) await pause(50);
  };
  const stop = async (): Promise<void> => {
    if (server === undefined) return;
    const ended = once(server, 'close');
    server.kill('SIGINT');
    await ended;
    server = undefined;
  };
  await start();
  return {
    createDatabase() {
      const name = `hearth_${++databases}`;
      ask(addressOf('postgres'), `CREATE DATABASE ${name}`);
      return addressOf(name);
    },
    start,
    stop,
    ask,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function findUser(name: string): { readonly uid: number; readonly gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** Debian has them outside of the path, one folder for each version. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(debian, version, 'bin'));
  return [...folders, ...(process.env['PATH'] ?? '').split(delimiter)].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
}
