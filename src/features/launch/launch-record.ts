// Which files of programs `hearth launch` has written, so that they can be put back.

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Digest } from '../../base/digest.ts';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { safeText } from '../../cli/output/format.ts';

interface WrittenFile {
  /** The file as it was before the first launch. Absent if there was none. */
  readonly backup?: string | undefined;
  /** The digest of the text that was written last. */
  readonly digest: Digest;
}

export class LaunchRecord {
  readonly #path: string;
  readonly #files: Map<string, WrittenFile>;

  private constructor(path: string, files: Map<string, WrittenFile>) {
    this.#path = path;
    this.#files = files;
  }

  static async open(path: string): Promise<LaunchRecord> {
    try {
      return new LaunchRecord(path, new Map(Object.entries(JSON.parse(await readFile(path, 'utf8')) as object)));
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return new LaunchRecord(path, new Map());
      const message = `${safeText(path)} cannot be read: ${messageOf(error)}. It lists the files that hearth launch has written; remove it to start again`;
      throw new HearthError('bad_configuration', message, { cause: error });
    }
  }

  find(file: string): WrittenFile | undefined {
    return this.#files.get(file);
  }

  async set(file: string, written: WrittenFile): Promise<void> {
    this.#files.set(file, written);
    await this.#save();
  }

  async delete(file: string): Promise<void> {
    this.#files.delete(file);
    await this.#save();
  }

  async #save(): Promise<void> {
    await makeFolder(dirname(this.#path), { mode: 0o700 });
    await replaceFile(this.#path, `${JSON.stringify(Object.fromEntries(this.#files), null, 2)}\n`);
  }
}
