// One server at a time per store: a second server could collect blobs that the first one is about to use.
//
//   hearth-lock-<process id>-<random>.json
//
// Each process writes its own lock file and then looks for others. If several start at once, the one that began first
// waits for the others, which see its file and back off. Separate files also make it safe to remove the lock of a dead
// process: it is never that of a live one.
//
// Whether a process is alive can be seen only on the same machine and in the same container. Otherwise, and where the
// system does not report process start times, a heartbeat decides: the file is touched every few seconds, and a lock
// without a recent heartbeat is stale.

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { identityOf, isRunning, type ProcessIdentity } from '../../base/process/process-identity.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { writeDurably } from './files/durable-file.ts';

export interface StoreLock {
  /**
   * False if the disk is read-only or full. Such a store can still be served, and models can be removed to make room,
   * but garbage must not be collected without the lock.
   */
  readonly held: boolean;
  release(): Promise<void>;
}

interface Holder extends ProcessIdentity {
  /** The time in milliseconds since the epoch. */
  readonly since: number;
}

const namePattern = /^hearth-lock-\d+-[0-9a-f]{16}\.json$/;
const heartbeat = 10_000;
const staleAfter = 45_000;
// How long the process that began first waits for others to back off. One that has the lock already does not.
const backOffTimeout = 5000;
const backOffPoll = 10;
// Locks of this process. Where only process ids are known, this distinguishes it from a dead process with the same id.
const ownLocks = new Set<string>();

/** Throws `store_locked`, with the holder in the message. */
export async function lockStore(
  root: string,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<StoreLock> {
  const path = join(root, `hearth-lock-${process.pid}-${randomBytes(8).toString('hex')}.json`);
  const holder: Holder = { ...identityOf(process.pid), since: clock.now() };
  try {
    await writeDurably(path, Buffer.from(`${JSON.stringify(holder, null, 2)}\n`));
  } catch (error) {
    // A store that exists can be read. One that cannot be created is of no use.
    if (!cannotWrite(error) || (await undefinedIfMissing(stat(root))) === undefined) throw error;
    // Reading alongside another server is safe; on a full disk, models can still be removed.
    if (!isReadOnly(error)) await rejectOtherHolders({ root, now: clock.now(), clock });
    return { held: false, release: async () => {} };
  }
  ownLocks.add(path);
  const unlock = async (): Promise<void> => {
    ownLocks.delete(path);
    await rm(path, { force: true });
  };
  try {
    // Both times come from the same disk, so that clock differences between machines do not matter.
    const { mtimeMs: now } = await stat(path);
    await rejectOtherHolders({ root, now, clock }, { path, since: holder.since });
    return keepAlive(await open(path, 'r+'), clock, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

interface Search {
  readonly root: string;
  /** The time of the disk, in milliseconds since the epoch. */
  readonly now: number;
  readonly clock: Clock;
}

interface Claim {
  readonly path: string;
  readonly since: number;
}

/** Removes stale locks; throws if another process holds the store. */
async function rejectOtherHolders(search: Search, own?: Claim): Promise<void> {
  for (const name of (await readdir(search.root)).filter((entry) => namePattern.test(entry))) {
    const path = join(search.root, name);
    if (path === own?.path) continue;
    const found = await findHolder(path, search);
    if (found === undefined) continue;
    if (own === undefined || !beganBefore(own, { path, since: found.since })) throw found.inUse;
    await untilReleased(path, search);
  }
}

async function untilReleased(path: string, search: Search): Promise<void> {
  const { clock } = search;
  const deadline = clock.now() + backOffTimeout;
  for (;;) {
    const found = await findHolder(path, search);
    if (found === undefined) return;
    if (clock.now() > deadline) throw found.inUse;
    await pause(clock, backOffPoll, { keepsProcessAlive: true });
  }
}

/** The live process that has written a lock file. Removes the file of a dead one. */
async function findHolder(
  path: string,
  { root, now }: Search,
): Promise<{ readonly since: number; readonly inUse: HearthError } | undefined> {
  const info = await undefinedIfMissing(stat(path));
  const text = await undefinedIfMissing(readFile(path, 'utf8'));
  if (info === undefined || text === undefined) return undefined;
  const holder = parseHolder(text);
  const heartbeatAge = now - info.mtimeMs;
  if (isAlive(path, holder, heartbeatAge))
    return { since: holder?.since ?? 0, inUse: storeInUse(root, holder, heartbeatAge) };
  await rm(path, { force: true });
  return undefined;
}

function beganBefore(left: Claim, right: Claim): boolean {
  return left.since < right.since || (left.since === right.since && left.path < right.path);
}

function isAlive(path: string, holder: Holder | undefined, heartbeatAge: number): boolean {
  if (ownLocks.has(path)) return true;
  return (holder && isRunning(holder)) ?? heartbeatAge < staleAfter;
}

function storeInUse(root: string, holder: Holder | undefined, heartbeatAge: number): HearthError {
  const who = holder
    ? `process ${holder.pid} on ${holder.host}, since ${formatTimestamp(holder.since)}`
    : 'an unknown process';
  const seen =
    holder && isRunning(holder)
      ? ''
      : ` Its last heartbeat was ${Math.max(0, Math.round(heartbeatAge / 1000))} s ago; if it has exited, try again in a minute.`;
  return new HearthError(
    'store_locked',
    `the store ${root} is in use by another Hearth: ${who}.${seen} Stop it, or use another store with HEARTH_MODELS or --models.`,
  );
}

function keepAlive(file: FileHandle, clock: Clock, unlock: () => Promise<void>): StoreLock {
  let released = false;
  // The first byte does not change; writing it updates the modification time.
  const beat = (): void => {
    if (released) return;
    file.write('{', 0).catch(() => {});
    timer = clock.after(heartbeat, beat);
  };
  let timer = clock.after(heartbeat, beat);
  return {
    held: true,
    async release() {
      if (released) return;
      released = true;
      timer.cancel();
      await file.close();
      await unlock();
    },
  };
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, host, pidNamespace, startTime, since } = JSON.parse(text) as Partial<Holder>;
    if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || !Number.isFinite(since)) return undefined;
    return {
      pid: pid as number,
      host: String(host),
      pidNamespace: String(pidNamespace),
      startTime: String(startTime),
      since: since as number,
    };
  } catch {
    return undefined;
  }
}

function cannotWrite(error: unknown): boolean {
  return isReadOnly(error) || ['ENOSPC', 'EDQUOT'].includes(errnoOf(error));
}

function isReadOnly(error: unknown): boolean {
  return ['EROFS', 'EACCES', 'EPERM'].includes(errnoOf(error));
}

function errnoOf(error: unknown): string {
  return systemCodeOf((error as { cause?: unknown }).cause) ?? systemCodeOf(error) ?? '';
}
