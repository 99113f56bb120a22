// The pulls of the server: they go on without the page, and every tab shows them.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { PullBody, PullsResponseBody } from '../../src/server/dialects/hearth/status/pulls-schema.ts';
import { errorText } from '../api/request.ts';
import { addProgress, noProgress, type TransferProgress } from './transfer-progress.ts';

export interface Pull extends Pick<PullBody, 'id' | 'model' | 'state'> {
  readonly insecure: boolean;
  readonly progress: TransferProgress;
  /** Empty unless it failed. */
  readonly problem: string;
}

/** Requests to the server. */
export interface PullRequests {
  list(): Promise<PullsResponseBody>;
  start(model: string, insecure: boolean): Promise<unknown>;
  pause(id: string): Promise<unknown>;
  remove(id: string): Promise<unknown>;
}

interface PullsOptions {
  readonly requests: PullRequests;
  readonly monotonicMs: () => number;
  /** Called when a pull has brought a model. */
  readonly onDone: () => void;
}

export class Pulls {
  /** The last one first. */
  readonly list: ReadonlySignal<readonly Pull[]>;
  /** Why the last request was refused; empty if it was not. */
  readonly problem: ReadonlySignal<string>;
  readonly #list = signal<readonly Pull[]>([]);
  readonly #problem = signal('');
  readonly #options: PullsOptions;

  constructor(options: PullsOptions) {
    this.#options = options;
    this.list = this.#list;
    this.problem = this.#problem;
  }

  get isRunning(): boolean {
    return this.#list.peek().some(({ state }) => state === 'running');
  }

  async refresh(): Promise<void> {
    const { pulls } = await this.#options.requests.list();
    const known = this.#list.peek();
    const next = pulls.map((body) =>
      this.#toPull(
        body,
        known.find(({ id }) => id === body.id),
      ),
    );
    const isNew = ({ id, state }: Pull): boolean =>
      state === 'done' && known.some((pull) => pull.id === id && pull.state !== 'done');
    this.#list.value = next;
    // A pull of another program is not listed any more when it has ended.
    const isGone = known.some(({ id, state }) => state === 'running' && next.every((pull) => pull.id !== id));
    if (isGone || next.some(isNew)) this.#options.onDone();
  }

  /** Starts or continues a pull. */
  start(model: string, { insecure }: { readonly insecure: boolean }): Promise<void> {
    return this.#ask(({ start }) => start(model, insecure));
  }

  pause(id: string): Promise<void> {
    return this.#ask(({ pause }) => pause(id));
  }

  /** Cancels a pull that is running, and forgets it. */
  remove(id: string): Promise<void> {
    return this.#ask(({ remove }) => remove(id));
  }

  async #ask(send: (requests: PullRequests) => Promise<unknown>): Promise<void> {
    try {
      await send(this.#options.requests);
      this.#problem.value = '';
    } catch (error) {
      this.#problem.value = errorText(error);
    }
    await this.refresh().catch(() => {});
  }

  #toPull({ id, model, insecure = false, state, status, total, completed, error = '' }: PullBody, known?: Pull): Pull {
    const part = total === undefined ? { status } : { status, digest: id, total, completed };
    // The rate begins again after a pause.
    const before = known?.state === 'running' ? known.progress : noProgress;
    return {
      id,
      model,
      insecure,
      state,
      progress: addProgress(before, part, this.#options.monotonicMs()),
      problem: error,
    };
  }
}
