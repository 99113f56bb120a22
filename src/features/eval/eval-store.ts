// The last results of evaluations, in a file of the server.

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HearthError, messageOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { createTurns } from '../../base/turns.ts';
import type { StoreEvalRequestBody } from './evals-schema.ts';

/** Times are those of the server's clock, in milliseconds. */
type Timed<Value> = Value & { readonly time: number };

interface StoredEvals {
  /** The last one first. */
  readonly results: readonly Timed<StoreEvalRequestBody['results'][number]>[];
  readonly comparisons: readonly Timed<NonNullable<StoreEvalRequestBody['comparison']>>[];
}

/** The length of each list. */
const maxKept = 100;
const maxWaitingChanges = 100;

export class EvalStore {
  readonly #path: string;
  readonly #turns = createTurns(maxWaitingChanges);

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<StoredEvals> {
    const text = await undefinedIfMissing(readFile(this.#path, 'utf8'));
    return text === undefined ? { results: [], comparisons: [] } : decode(this.#path, text);
  }

  /** Resolves with the number of results that are kept. */
  add({ results, comparison }: StoreEvalRequestBody, time: number, signal: AbortSignal): Promise<number> {
    return this.#turns.run(async () => {
      const known = await this.read();
      const next = {
        version: 1,
        results: [...results.map((result) => ({ ...result, time })), ...known.results].slice(0, maxKept),
        comparisons: [...(comparison ? [{ ...comparison, time }] : []), ...known.comparisons].slice(0, maxKept),
      };
      await makeFolder(dirname(this.#path));
      await replaceFile(this.#path, `${JSON.stringify(next)}\n`);
      return next.results.length;
    }, signal);
  }
}

/** The file may have been edited by hand or damaged. */
function decode(path: string, text: string): StoredEvals {
  try {
    const { version, results, comparisons } = JSON.parse(text) as StoredEvals & { readonly version?: unknown };
    if (version !== 1 || !Array.isArray(results) || !Array.isArray(comparisons))
      throw new Error('it has no results of evaluations');
    return { results, comparisons };
  } catch (error) {
    throw new HearthError('store_damaged', `the file ${path} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
