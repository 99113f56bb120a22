// Bounds the number of uploads that are in memory at the same time, for each client and for all of them.

import { HearthError } from '../../../base/errors.ts';

interface UploadLimitOptions {
  /** What is uploaded, in the plural. */
  readonly what: string;
  readonly client: number;
  readonly all: number;
}

export class UploadLimit {
  readonly #options: UploadLimitOptions;
  readonly #counts = new Map<string, number>();
  #all = 0;

  constructor(options: UploadLimitOptions) {
    this.#options = options;
  }

  /** The upload counts until `work` has ended. Rejects with `busy` if there are too many. */
  async use<Result>(client: string, work: () => Promise<Result>): Promise<Result> {
    const { what, client: most, all } = this.#options;
    const own = this.#counts.get(client) ?? 0;
    if (own >= most || this.#all >= all)
      throw new HearthError('busy', `too many ${what} are sent at the same time; try again later`);
    this.#counts.set(client, own + 1);
    this.#all++;
    try {
      return await work();
    } finally {
      this.#all--;
      const left = (this.#counts.get(client) ?? 1) - 1;
      if (left === 0) this.#counts.delete(client);
      else this.#counts.set(client, left);
    }
  }
}
