// Files that callers have uploaded, and the results of batches. Each owner has a folder:
//
//   <owner>/files/<id>         the bytes
//   <owner>/files/<id>.json    what a list shows; without it, the file does not exist for callers

import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import { isObject, parseJson } from '../../../base/json-values.ts';
import type { Clock } from '../../../base/time/clock.ts';

export interface StoredFile {
  readonly id: string;
  readonly bytes: number;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly filename: string;
  readonly purpose: string;
  /** Seconds since the epoch. Absent: it is kept. */
  readonly expiresAt?: number;
}

export type FileDescription = Pick<StoredFile, 'filename' | 'purpose' | 'expiresAt'>;

interface FileStoreOptions {
  readonly folder: string;
  readonly maxOwnerBytes: number;
  readonly clock: Clock;
}

const maxOwnerFiles = 10_000;
const maxOwnerUploads = 8;
const idPattern = /^file-[0-9a-f]{24}$/;
const descriptionSuffix = '.json';

export function newFileId(): string {
  return `file-${randomBytes(12).toString('hex')}`;
}

export class FileStore {
  readonly #options: FileStoreOptions;
  /** The files of each owner, newest last. This process alone changes the folder. */
  readonly #files = new Map<string, Map<string, StoredFile>>();
  /** The bytes of each owner, with those of uploads that have not ended. */
  readonly #usedBytes = new Map<string, number>();
  readonly #uploads = new Map<string, number>();

  constructor(options: FileStoreOptions) {
    this.#options = options;
  }

  /** Reads what exists, and removes what was not finished, except for the files in `kept`. */
  async open(owner: string, kept: ReadonlySet<string>): Promise<void> {
    const folder = this.#folderOf(owner);
    const names = new Set(await undefinedIfMissing(readdir(folder)));
    const files: StoredFile[] = [];
    for (const name of names) {
      const id = name.endsWith(descriptionSuffix) ? name.slice(0, -descriptionSuffix.length) : name;
      const isKnown = idPattern.test(id) && names.has(id) && (names.has(`${id}${descriptionSuffix}`) || kept.has(id));
      if (!isKnown) await rm(join(folder, name), { force: true });
      else if (name !== id) {
        const stored = parseJson(await readFile(join(folder, name), 'utf8'));
        // The bytes of a damaged file stay, so that it can be repaired.
        if (isObject(stored)) files.push(stored as unknown as StoredFile);
      }
    }
    files.sort((a, b) => a.createdAt - b.createdAt);
    this.#files.set(owner, new Map(files.map((file) => [file.id, file])));
    for (const { bytes } of files) this.#use(owner, bytes);
  }

  list(owner: string): readonly StoredFile[] {
    return [...this.#of(owner).values()];
  }

  find(owner: string, id: string): StoredFile {
    const file = this.#of(owner).get(id);
    if (file === undefined) throw new HearthError('file_not_found', `no file has the id "${id.slice(0, 64)}"`);
    return file;
  }

  pathOf(owner: string, id: string): string {
    return join(this.#folderOf(owner), id);
  }

  /** Stores the bytes of an upload, which describes itself when all of it has arrived. */
  async add(owner: string, chunks: AsyncIterable<Uint8Array>, describe: () => FileDescription): Promise<StoredFile> {
    const uploads = this.#uploads.get(owner) ?? 0;
    if (uploads >= maxOwnerUploads)
      throw new HearthError('busy', `${maxOwnerUploads} files are uploaded at the same time`);
    if (this.#of(owner).size + uploads >= maxOwnerFiles) throw full(`there are ${maxOwnerFiles} files`);
    const id = newFileId();
    const path = this.pathOf(owner, id);
    let bytes = 0;
    this.#uploads.set(owner, uploads + 1);
    try {
      await makeFolder(this.#folderOf(owner), { mode: 0o700 });
      const file = await open(path, 'wx', 0o600);
      try {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (this.#use(owner, chunk.length) > this.#options.maxOwnerBytes)
            throw full('the files have reached the size of HEARTH_BATCH_STORAGE');
          await file.writeFile(chunk);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      return await this.publish(owner, id, describe());
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      // A file that was published counts itself.
      this.#use(owner, -bytes);
      this.#uploads.set(owner, (this.#uploads.get(owner) ?? 1) - 1);
    }
  }

  /** Shows a file that was written to its path. */
  async publish(owner: string, id: string, description: FileDescription): Promise<StoredFile> {
    const known = this.#of(owner).get(id);
    if (known !== undefined) return known;
    const path = this.pathOf(owner, id);
    const { size: bytes } = await stat(path);
    const stored = { id, bytes, createdAt: Math.floor(this.#options.clock.now() / 1000), ...description };
    await replaceFile(`${path}${descriptionSuffix}`, `${JSON.stringify(stored)}\n`);
    this.#of(owner).set(id, stored);
    this.#use(owner, bytes);
    return stored;
  }

  /** Throws `file_not_found`. */
  async remove(owner: string, id: string): Promise<void> {
    this.#use(owner, -this.find(owner, id).bytes);
    this.#of(owner).delete(id);
    const path = this.pathOf(owner, id);
    await rm(`${path}${descriptionSuffix}`, { force: true });
    await rm(path, { force: true });
  }

  async removeExpired(): Promise<void> {
    const now = this.#options.clock.now() / 1000;
    for (const [owner, files] of this.#files)
      for (const { id, expiresAt = Number.POSITIVE_INFINITY } of files.values())
        if (expiresAt <= now) await this.remove(owner, id);
  }

  /** Returns the new sum. */
  #use(owner: string, bytes: number): number {
    const used = (this.#usedBytes.get(owner) ?? 0) + bytes;
    this.#usedBytes.set(owner, used);
    return used;
  }

  #of(owner: string): Map<string, StoredFile> {
    const files = this.#files.get(owner) ?? new Map<string, StoredFile>();
    this.#files.set(owner, files);
    return files;
  }

  #folderOf(owner: string): string {
    return join(this.#options.folder, owner, 'files');
  }
}

function full(reason: string): HearthError {
  return new HearthError('files_full', `${reason}; delete some with DELETE /v1/files/{id}`);
}
