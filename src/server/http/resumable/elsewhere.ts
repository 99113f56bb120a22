// Answers that other servers generate.

import { HearthError } from '../../../base/errors.ts';
import type { SharedStreams } from '../../../base/state/shared-state.ts';

/** The objects from this number on. */
export type FollowAnswer = (from: number, signal: AbortSignal) => AsyncGenerator<object>;

export class AnswersElsewhere {
  readonly #streams: SharedStreams | undefined;

  /** Without streams there are none. */
  constructor(streams: SharedStreams | undefined) {
    this.#streams = streams;
  }

  /** Throws `request_not_found`, also for answers of other clients. */
  async find(client: string, id: string): Promise<FollowAnswer> {
    const streams = await this.#streamsWith(client, id);
    return async function* (from, signal) {
      for await (const text of streams.follow(id, from, signal)) yield JSON.parse(text) as object;
    };
  }

  /** Throws like `find`. */
  async cancel(client: string, id: string): Promise<void> {
    await (await this.#streamsWith(client, id)).cancel(id);
  }

  async #streamsWith(client: string, id: string): Promise<SharedStreams> {
    // The same error whether or not another client has such an answer.
    if (this.#streams === undefined || !(await this.#streams.exists(id, client)))
      throw new HearthError('request_not_found', `request "${id}" not found`);
    return this.#streams;
  }
}
