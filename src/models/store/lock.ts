// One server at a time in a store: another one's idea of what is garbage could be this one's next model.
//
//   hearth-lock-<process id>-<random>.json
//
// Whoever wants the store writes a file of its own and then looks for others. Of two who come at once, at least one sees
// the other and steps back; and a file of its own can be removed, when its process is dead, without ever removing that
// of a living one.
//
// Whether a process lives can be seen from the same machine and container. For others, and where the system does not say
// when a process began, the file is touched every few seconds; one that was not touched for a while belongs to the dead.

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { writeDurably } from './files/durable-file.ts';
import { orMissing } from './files/or-missing.ts';
import { identityOf, isRunning, type ProcessIdentity } from './files/process-identity.ts';

export interface StoreLock {
  /**
   * False where nothing can be written, because the disk is read-only or full: a store can be served from all the same,
   * and models be removed to make room. Whoever does not hold it must not collect garbage.
   */
  readonly held: boolean;
  release(): Promise<void>;
}

interface Holder extends ProcessIdentity {
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const namePattern = /^hearth-lock-\d+-[0-9a-f]{16}\.json$/;
const heartbeat = 10_000;
const deadAfter = 45_000;
// Of those that this process holds: where ids are all there is to go by, they tell us from one who had our id before.
const ours = new Set<string>();

/** Throws a sentence that says who has the store. */
export async function lockStore(
  root: string,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<StoreLock> {
  const path = join(root, `hearth-lock-${process.pid}-${randomBytes(8).toString('hex')}.json`);
  const holder: Holder = { ...identityOf(process.pid), since: clock.now() };
  try {
    await writeDurably(path, Buffer.from(`${JSON.stringify(holder, null, 2)}\n`));
  } catch (error) {
    if (!cannotWrite(error)) throw error;
    // There is no harm in reading; but on a full disk models can be removed.
    if (!isReadOnly(error)) await refuseOthers(root, { now: clock.now() });
    return { held: false, release: async () => {} };
  }
  ours.add(path);
  const unlock = async (): Promise<void> => {
    ours.delete(path);
    await rm(path, { force: true });
  };
  try {
    // Times of the same disk are compared, so that clocks which differ do not matter.
    await refuseOthers(root, { own: path, now: (await stat(path)).mtimeMs });
    return keepAlive(await open(path, 'r+'), clock, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Removes the locks of the dead; throws for one of the living. */
async function refuseOthers(root: string, { own, now }: { own?: string; now: number }): Promise<void> {
  for (const name of (await readdir(root)).filter((entry) => namePattern.test(entry))) {
    const path = join(root, name);
    if (path === own) continue;
    const info = await orMissing(stat(path));
    const text = await orMissing(readFile(path, 'utf8'));
    if (info === undefined || text === undefined) continue;
    const holder = parseHolder(text);
    const silence = now - info.mtimeMs;
    if (isAlive(path, holder, silence)) throw inUse(root, holder, silence);
    await rm(path, { force: true });
  }
}

function isAlive(path: string, holder: Holder | undefined, silence: number): boolean {
  if (ours.has(path)) return true;
  return (holder && isRunning(holder)) ?? silence < deadAfter;
}

function inUse(root: string, holder: Holder | undefined, silence: number): HearthError {
  const who = holder
    ? `process ${holder.pid} on ${holder.host}, since ${formatTimestamp(holder.since)}`
    : 'a process that did not say who it is';
  const seen =
    holder && isRunning(holder)
      ? ''
      : ` Its last sign of life is ${Math.max(0, Math.round(silence / 1000))} s old; if it has ended, try again in a minute.`;
  return new HearthError(
    'store_locked',
    `the store ${root} is in use by another Hearth: ${who}.${seen} Stop it, or use another store with HEARTH_MODELS or --models.`,
  );
}

function keepAlive(file: FileHandle, clock: Clock, unlock: () => Promise<void>): StoreLock {
  let released = false;
  // The first byte is what it was; writing it makes the disk note the time.
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
    const { pid, host, neighbourhood, born, since } = JSON.parse(text) as Partial<Holder>;
    if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || !Number.isFinite(since)) return undefined;
    return {
      pid: pid as number,
      host: String(host),
      neighbourhood: String(neighbourhood),
      born: String(born),
      since: since as number,
    };
  } catch {
    return undefined;
  }
}

function cannotWrite(error: unknown): boolean {
  return isReadOnly(error) || ['ENOSPC', 'EDQUOT'].includes(causeOf(error));
}

function isReadOnly(error: unknown): boolean {
  return ['EROFS', 'EACCES', 'EPERM'].includes(causeOf(error));
}

function causeOf(error: unknown): string {
  return systemCodeOf((error as { cause?: unknown }).cause) ?? systemCodeOf(error) ?? '';
}
