// The prefix cache on disk from the server's side: a folder for each model, which only the runner of that model can
// access, and a limit on the size of all of them (docs/adr/0032). The server never opens the files.

import { createHash } from 'node:crypto';
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { isUnfinished, parsePrefixFileName } from '../protocol/prefix-file-name.ts';
import { type PrefixFile, planRemovals } from './plan-removals.ts';

export interface PrefixFiles {
  readonly maxBytes: number;
  /** As of the last check of the folder. */
  readonly usage: { readonly files: number; readonly bytes: number };
  /** The folder of a model; undefined if it cannot be created. */
  prepare(modelKey: string): Promise<string | undefined>;
  /** Removes the least valuable files beyond the limit. */
  trim(): Promise<void>;
  /** Removes leftovers of killed runners, and trims. To be called before the first runner starts. */
  recover(): Promise<void>;
}

interface PrefixFilesOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const folderDigits = 32;
const folderName = /^[0-9a-f]{32}$/;
const privateFolder = 0o700;

export function createPrefixFiles({ folder, maxBytes, clock, logger }: PrefixFilesOptions): PrefixFiles {
  let usage = { files: 0, bytes: 0 };
  let trimming: Promise<void> = Promise.resolve();

  const trimNow = async (): Promise<void> => {
    const files = await listFiles(folder);
    const removed = new Set(planRemovals(files, { maxBytes, now: clock.now() }));
    for (const { path } of removed) await rm(path, { force: true });
    const kept = files.filter((file) => !removed.has(file));
    usage = { files: kept.length, bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0) };
  };

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      logger.warn('could not clean up the prefix cache on disk', { reason: messageOf(error) });
    }
  };

  return {
    maxBytes,
    get usage() {
      return usage;
    },
    async prepare(modelKey) {
      const path = join(folder, createHash('sha256').update(modelKey).digest('hex').slice(0, folderDigits));
      try {
        await makeFolder(path, { mode: privateFolder });
        return path;
      } catch (error) {
        logger.warn('prompts are not cached on disk', { reason: messageOf(error) });
        return undefined;
      }
    },
    // One after the other, so that they do not count the same files.
    trim() {
      trimming = trimming.then(() => attempt(trimNow));
      return trimming;
    },
    async recover() {
      await attempt(() => removeLeftovers(folder));
      await this.trim();
    },
  };
}

async function listFiles(folder: string): Promise<(PrefixFile & { readonly path: string })[]> {
  const files: (PrefixFile & { readonly path: string })[] = [];
  for (const path of await listPaths(folder)) {
    const name = parsePrefixFileName(path.name);
    const found = name && (await stat(path.path).catch(() => undefined));
    if (found) files.push({ path: path.path, bytes: found.size, work: name.work, usedAt: found.mtimeMs });
  }
  return files;
}

/** Only what a runner can have written: the folder may be one that the user shares with something else. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const { name, path } of await listPaths(folder)) if (isUnfinished(name)) await rm(path, { force: true });
  // A folder with files is not removed.
  for (const name of await listFolders(folder)) await rmdir(join(folder, name)).catch(() => {});
}

async function listPaths(folder: string): Promise<{ readonly name: string; readonly path: string }[]> {
  const folders = await listFolders(folder);
  const lists = await Promise.all(
    folders.map(async (model) => {
      const names = await readdir(join(folder, model)).catch(() => []);
      return names.map((name) => ({ name, path: join(folder, model, name) }));
    }),
  );
  return lists.flat();
}

async function listFolders(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => folderName.test(name));
}
