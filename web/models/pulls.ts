// The pulls that the user started. A pull that is paused ends its request: the server keeps what it has, and the same
// request continues from there. Pulls stay when the user goes to another view; after the page is loaded again they are
// paused.

import { type ReadonlySignal, signal } from '@preact/signals';
import { errorText } from '../api/request.ts';
import type { StreamPull } from '../api/stream-progress.ts';
import { addProgress, noProgress, type TransferProgress } from './transfer-progress.ts';

export interface Pull {
  readonly model: string;
  /** The registry is reached over plain HTTP. */
  readonly insecure: boolean;
  readonly state: 'running' | 'paused' | 'failed' | 'done';
  readonly progress: TransferProgress;
  /** Empty unless it failed. */
  readonly problem: string;
}

interface PullsOptions {
  readonly streamPull: StreamPull;
  readonly monotonicMs: () => number;
  /** What outlives the page. */
  readonly memory: { read(): string | null; write(text: string): void };
  readonly onDone: () => void;
}

export class Pulls {
  /** The last one first. */
  readonly list: ReadonlySignal<readonly Pull[]>;
  readonly #list = signal<readonly Pull[]>([]);
  readonly #running = new Map<string, AbortController>();
  readonly #options: PullsOptions;

  constructor(options: PullsOptions) {
    this.#options = options;
    this.#list.value = readUnfinished(options.memory.read());
    this.list = this.#list;
  }

  /** Starts or continues a pull. */
  start(model: string, { insecure }: { readonly insecure: boolean }): void {
    if (this.#running.has(model)) return;
    // What the server says about the files is about the whole pull; only the rate begins again.
    const progress = { ...this.#progressOf(model), samples: [] };
    const pull: Pull = { model, insecure, state: 'running', progress, problem: '' };
    const controller = new AbortController();
    this.#list.value = [pull, ...this.#list.peek().filter((other) => other.model !== model)];
    this.#running.set(model, controller);
    this.#remember();
    void this.#run(pull, controller);
  }

  pause(model: string): void {
    this.#stop(model);
    this.#change(model, { state: 'paused' });
  }

  /** Ends a pull that is running, and forgets it. */
  remove(model: string): void {
    this.#stop(model);
    this.#list.value = this.#list.peek().filter((pull) => pull.model !== model);
    this.#remember();
  }

  #stop(model: string): void {
    this.#running.get(model)?.abort();
    this.#running.delete(model);
  }

  #change(model: string, fields: Partial<Pull>): void {
    this.#list.value = this.#list.peek().map((pull) => (pull.model === model ? { ...pull, ...fields } : pull));
  }

  #progressOf(model: string): TransferProgress {
    return this.#list.peek().find((pull) => pull.model === model)?.progress ?? noProgress;
  }

  #remember(): void {
    const unfinished = this.#list.peek().filter(({ state }) => state !== 'done');
    this.#options.memory.write(JSON.stringify(unfinished.map(({ model, insecure }) => ({ model, insecure }))));
  }

  async #run({ model, insecure }: Pull, controller: AbortController): Promise<void> {
    const { streamPull, monotonicMs, onDone } = this.#options;
    const isCurrent = (): boolean => this.#running.get(model) === controller;
    try {
      for await (const part of streamPull({ model, insecure }, controller.signal)) {
        if (!isCurrent()) return;
        this.#change(model, { progress: addProgress(this.#progressOf(model), part, monotonicMs()) });
      }
      if (isCurrent()) this.#change(model, { state: 'done' });
      onDone();
    } catch (error) {
      if (isCurrent()) this.#change(model, { state: 'failed', problem: errorText(error) });
    }
    if (isCurrent()) this.#running.delete(model);
    this.#remember();
  }
}

/** The memory belongs to the user, who can change it. */
const maxRemembered = 100;

function readUnfinished(text: string | null): Pull[] {
  try {
    const entries = JSON.parse(text ?? '[]') as readonly Partial<Pull>[];
    return entries
      .slice(0, maxRemembered)
      .flatMap(({ model, insecure }) =>
        typeof model === 'string'
          ? [{ model, insecure: insecure === true, state: 'paused' as const, progress: noProgress, problem: '' }]
          : [],
      );
  } catch {
    return [];
  }
}
