// The results of an unfinished evaluation, so that it can go on after Ctrl-C: a file of JSON lines in the home folder. Its name
// depends on the model's digest and the items, so that results of others are never used.

import { createHash } from 'node:crypto';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import type { ItemResult } from './ask-item.ts';
import type { EvalItem } from './item.ts';

interface EvalSubject {
  readonly model: string;
  readonly digest: string;
  readonly items: readonly EvalItem[];
}

export class EvalState {
  readonly #path: string;

  constructor(folder: string, { model, digest, items }: EvalSubject) {
    const hash = createHash('sha256')
      .update(JSON.stringify([model, digest, items]))
      .digest('hex');
    this.#path = join(folder, `eval-${hash.slice(0, 32)}.jsonl`);
  }

  /** By index of the item. A line that is not complete is ignored. */
  async load(): Promise<Map<number, ItemResult>> {
    const lines = (await this.#read()).split('\n');
    return new Map(lines.flatMap((line) => parseLine(line) ?? []));
  }

  async add(index: number, result: ItemResult): Promise<void> {
    await makeFolder(join(this.#path, '..'));
    await appendFile(this.#path, `${JSON.stringify([index, result])}\n`, { mode: 0o600 });
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return '';
      throw error;
    }
  }
}

function parseLine(line: string): [[number, ItemResult]] | undefined {
  try {
    const [index, { correct, answer, tokens, nanoseconds }] = JSON.parse(line) as [number, ItemResult];
    const isValid =
      Number.isInteger(index) &&
      typeof correct === 'boolean' &&
      typeof answer === 'string' &&
      Number.isFinite(tokens) &&
      Number.isFinite(nanoseconds);
    return isValid ? [[index, { correct, answer, tokens, nanoseconds }]] : undefined;
  } catch {
    return undefined;
  }
}
