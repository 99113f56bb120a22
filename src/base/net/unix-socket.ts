// Listens on a Unix socket. The socket appears at its path with its final permissions, so that nobody can open it before. A
// socket without a server is replaced; a socket with one, and whatever else is there, stays.

import { createHash } from 'node:crypto';
import { chmod, link, lstat, mkdtemp, rm, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { HearthError, systemCodeOf } from '../errors.ts';
import { describeSystemError } from '../process/system-error.ts';
import { maxSocketPathBytes } from './socket-path.ts';

interface SocketFile {
  readonly path: string;
  readonly mode: number;
  /** How to choose another path, such as `--host`. */
  readonly choose: string;
}

type SocketUser =
  /** A server accepts connections. */
  | 'server'
  /** The server has ended without removing it. */
  | 'stale'
  | 'absent'
  /** Another file, a folder, a link. */
  | 'other'
  /** A socket that this user may not open. */
  | 'forbidden';

/** `listen` is called with another path, in a folder of this user. Resolves with a function that removes the socket. */
export async function listenOnSocket(
  { path, mode, choose }: SocketFile,
  listen: (path: string) => Promise<unknown>,
): Promise<() => Promise<void>> {
  if (process.platform === 'win32')
    throw refuse(`Hearth has no Unix sockets on Windows. Choose an address with ${choose}.`);
  const instead = `or choose another path with ${choose}.`;
  const folder = await makePrivateFolder(path, instead);
  try {
    const made = join(folder, 's');
    if (Buffer.byteLength(made) > maxSocketPathBytes)
      throw refuse(`the folder of ${path} has too long a name for a socket. Use a shorter one, ${instead}`);
    await listen(made);
    await chmod(made, mode);
    const { ino, dev } = await lstat(made);
    await publish(made, path, instead);
    return async () => {
      const present = await lstat(path).catch(() => undefined);
      // Another server may have the path now.
      if (present?.ino === ino && present.dev === dev) await unlink(path).catch(() => {});
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Follows no link. */
export async function findSocketUser(path: string): Promise<SocketUser> {
  const present = await lstat(path).catch((error: unknown) => {
    if (systemCodeOf(error) === 'EACCES') return 'forbidden' as const;
    return undefined;
  });
  if (present === undefined) return 'absent';
  if (present === 'forbidden') return present;
  return present.isSocket() ? tryConnecting(path) : 'other';
}

function tryConnecting(path: string): Promise<SocketUser> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve('server');
    });
    socket.once('error', (error) => {
      const code = systemCodeOf(error);
      if (code === 'ECONNREFUSED') resolve('stale');
      else if (code === 'ENOENT') resolve('absent');
      // A full queue of connections, and whatever else a socket without a server does not answer.
      else resolve(code === 'EACCES' || code === 'EPERM' ? 'forbidden' : 'server');
    });
  });
}

async function makePrivateFolder(path: string, instead: string): Promise<string> {
  try {
    return await mkdtemp(join(dirname(path), '.h'));
  } catch (error) {
    const reason = systemCodeOf(error) === 'ENOENT' ? 'there is no such folder' : describeSystemError(error);
    throw refuse(
      `no socket can be made in ${dirname(path)}: ${reason}. Create it as a folder of yours, ${instead}`,
      error,
    );
  }
}

async function publish(made: string, path: string, instead: string): Promise<void> {
  if (await linkNew(made, path, instead)) return;
  const inUse = `${path} is in use by another server. Stop it, ${instead}`;
  const lock = await lockPath(made, path, instead);
  if (lock === undefined) throw refuse(inUse);
  try {
    await removeStale(path, instead);
    if (!(await linkNew(made, path, instead))) throw refuse(inUse);
  } finally {
    await rm(lock, { force: true });
  }
}

/** False if there is something at the path. */
async function linkNew(made: string, path: string, instead: string): Promise<boolean> {
  try {
    // Unlike a rename, a link replaces nothing.
    await link(made, path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw refuse(`no socket can be made at ${path}: ${describeSystemError(error)}. Correct this, ${instead}`, error);
  }
}

/**
 * Only one server at a time may replace a stale socket: another one that has seen the same stale socket would remove the
 * socket that replaced it. The lock is a second name of the socket that this server listens on, so that a lock whose server
 * was killed can be told apart by connecting to it. Undefined if another server has the lock.
 */
async function lockPath(made: string, path: string, instead: string): Promise<string | undefined> {
  // Not longer than `made`, because the length of a socket's path is limited.
  const name = `.h${createHash('sha256').update(basename(path)).digest('hex').slice(0, 8)}`;
  const lock = join(dirname(path), name);
  if (await linkNew(made, lock, instead)) return lock;
  if ((await findSocketUser(lock)) !== 'stale') return undefined;
  await rm(lock, { force: true });
  return (await linkNew(made, lock, instead)) ? lock : undefined;
}

async function removeStale(path: string, instead: string): Promise<void> {
  const user = await findSocketUser(path);
  if (user === 'server') throw refuse(`${path} is in use by another server. Stop it, ${instead}`);
  if (user === 'other') throw refuse(`${path} is not a socket and stays as it is. Remove it, ${instead}`);
  if (user === 'forbidden') throw refuse(`${path} is a socket of another user. Remove it, ${instead}`);
  await unlink(path).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return;
    throw refuse(`${path} cannot be replaced: ${describeSystemError(error)}. Remove it, ${instead}`, error);
  });
}

function refuse(message: string, cause?: unknown): HearthError {
  return new HearthError('bad_configuration', message, { cause });
}
