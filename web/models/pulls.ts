// The pulls that the user started. A pull that is paused ends its request: the server keeps what it has, and the same
// request continues from there. They stay when the user goes to another view; after the page is loaded again they are
// paused.

import { type ReadonlySignal, signal } from '@preact/signals';
import { messageOf } from '../api/api-error.ts';
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

export interface Pulls {
  /** The last one first. */
  readonly list: ReadonlySignal<readonly Pull[]>;
  /** Starts or continues a pull. */
  start(model: string, options: { readonly insecure: boolean }): void;
  pause(model: string): void;
  /** Ends a pull that is running, and forgets it. */
  remove(model: string): void;
}

export interface PullsOptions {
  readonly streamPull: StreamPull;
  /** Milliseconds. */
  readonly monotonic: () => number;
  /** What outlives the page. */
  readonly memory: { read(): string | null; write(text: string): void };
  readonly onDone: () => void;
}

export function createPulls({ streamPull, monotonic, memory, onDone }: PullsOptions): Pulls {
  const list = signal<readonly Pull[]>(readUnfinished(memory.read()));
  const running = new Map<string, AbortController>();

  const change = (model: string, fields: Partial<Pull>): void => {
    list.value = list.peek().map((pull) => (pull.model === model ? { ...pull, ...fields } : pull));
  };
  const remember = (): void => {
    const unfinished = list.peek().filter(({ state }) => state !== 'done');
    memory.write(JSON.stringify(unfinished.map(({ model, insecure }) => ({ model, insecure }))));
  };
  const find = (model: string): Pull | undefined => list.peek().find((pull) => pull.model === model);

  const run = async ({ model, insecure }: Pull, controller: AbortController): Promise<void> => {
    const isCurrent = (): boolean => running.get(model) === controller;
    try {
      for await (const part of streamPull({ model, insecure }, controller.signal)) {
        if (!isCurrent()) return;
        const progress = find(model)?.progress ?? noProgress;
        change(model, { progress: addProgress(progress, part, monotonic()) });
      }
      if (isCurrent()) change(model, { state: 'done' });
      onDone();
    } catch (error) {
      if (isCurrent()) change(model, { state: 'failed', problem: messageOf(error) });
    }
    if (isCurrent()) running.delete(model);
    remember();
  };
  const stop = (model: string): void => {
    running.get(model)?.abort();
    running.delete(model);
  };

  return {
    list,
    start(model, { insecure }) {
      if (running.has(model)) return;
      // What the server says about the files is about the whole pull; only the rate begins again.
      const progress = { ...(find(model)?.progress ?? noProgress), samples: [] };
      const pull: Pull = { model, insecure, state: 'running', progress, problem: '' };
      list.value = [pull, ...list.peek().filter((other) => other.model !== model)];
      const controller = new AbortController();
      running.set(model, controller);
      remember();
      void run(pull, controller);
    },
    pause(model) {
      stop(model);
      change(model, { state: 'paused' });
    },
    remove(model) {
      stop(model);
      list.value = list.peek().filter((pull) => pull.model !== model);
      remember();
    },
  };
}

// The memory belongs to the user, who can change it.
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
