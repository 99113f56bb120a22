// The pulls of the server. Those that it was asked to carry out go on without a client, and after a restart; those of
// `/api/pull` end with their client, and are listed as long as they run.

import { readFile } from 'node:fs/promises';
import { HearthError, messageOf, toHearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { type ModelName, sameModelName } from '../../../models/name.ts';
import { writeDurably } from '../../../models/store/files/durable-file.ts';
import { mayUseModel, requireModel } from '../models/model-access.ts';
import type { ModelProgress } from './model-progress.ts';
import type { PreparePull, PullInput } from './prepare-pull.ts';
import { addToSum, noSum, type ProgressSum } from './progress-sum.ts';

export interface ModelPull extends PullInput {
  readonly id: string;
  readonly state: 'running' | 'paused' | 'failed' | 'done';
  readonly progress: ProgressSum;
  /** Why it failed; otherwise empty. */
  readonly problem: string;
  /** The time in milliseconds since the epoch. */
  readonly startedAt: number;
}

interface Entry {
  pull: ModelPull;
  readonly name: ModelName;
  /** Ends the run. */
  stop: AbortController;
  /** Whether it belongs to a request of `/api/pull`. */
  readonly isOfRequest: boolean;
}

interface PullsOptions {
  readonly prepare: PreparePull;
  /** Where the pulls are kept that go on after a restart. */
  readonly file: string;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxListed = 100;

export class ModelPulls {
  readonly #options: PullsOptions;
  readonly #entries = new Map<string, Entry>();
  #isClosed = false;
  #saved = Promise.resolve();

  constructor(options: PullsOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#all().some(({ pull }) => pull.state === 'running');
  }

  /** Only of models that the caller may use, the last one first. */
  list(): ModelPull[] {
    return this.#all()
      .filter(({ name }) => mayUseModel(name))
      .map(({ pull }) => pull)
      .reverse();
  }

  /** Starts a pull, or continues one that was paused or has failed. */
  start(input: PullInput): ModelPull {
    const { name } = this.#options.prepare(input);
    requireModel(name);
    const known = this.#all().find((entry) => !entry.isOfRequest && sameModelName(entry.name, name));
    if (known?.pull.state === 'running') return known.pull;
    const entry = known ?? this.#add(input, name, false);
    // What was downloaded before is a part of the pull; only the request may be another one.
    this.#change(entry, { ...input, state: 'running', problem: '' });
    this.#begin(entry);
    this.#save();
    return entry.pull;
  }

  /** What has arrived is kept. Throws `pull_not_found`. */
  pause(id: string): ModelPull {
    const entry = this.#find(id);
    if (entry.pull.state === 'running' && !entry.isOfRequest) this.#change(entry, { state: 'paused' });
    entry.stop.abort();
    this.#save();
    return entry.pull;
  }

  /** Cancels a pull that is running, and forgets it. Throws `pull_not_found`. */
  remove(id: string): void {
    const entry = this.#find(id);
    this.#entries.delete(id);
    entry.stop.abort();
    this.#save();
  }

  /** A pull that ends with its client. */
  follow(input: PullInput, signal: AbortSignal): AsyncGenerator<ModelProgress> {
    const { name, start } = this.#options.prepare(input);
    const run = async function* (this: ModelPulls): AsyncGenerator<ModelProgress> {
      const entry = this.#add(input, name, true);
      try {
        for await (const part of start(AbortSignal.any([signal, entry.stop.signal]))) {
          this.#note(entry, part);
          yield part;
        }
      } finally {
        this.#entries.delete(entry.pull.id);
      }
    };
    return run.call(this);
  }

  /** Continues what was running when the server stopped. */
  async resume(): Promise<void> {
    for (const { isPaused, ...input } of await this.#readSaved()) {
      try {
        const entry = this.#add(input, this.#options.prepare(input).name, false);
        if (isPaused) this.#change(entry, { state: 'paused' });
        else this.#begin(entry);
      } catch (error) {
        this.#options.logger.warn('a pull is not continued', { model: input.model, reason: messageOf(error) });
      }
    }
  }

  /** The file stays as it is: the next server continues. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#all()) stop.abort();
    await this.#saved;
  }

  #all(): Entry[] {
    return [...this.#entries.values()];
  }

  #find(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined || !mayUseModel(entry.name))
      throw new HearthError('pull_not_found', `there is no pull "${id.slice(0, 100)}"`);
    return entry;
  }

  #add(input: PullInput, name: ModelName, isOfRequest: boolean): Entry {
    if (!isOfRequest) this.#makeRoom();
    const { newId, clock } = this.#options;
    const pull: ModelPull = {
      ...input,
      id: newId(),
      state: 'running',
      progress: noSum,
      problem: '',
      startedAt: clock.now(),
    };
    const entry = { pull, name, stop: new AbortController(), isOfRequest };
    this.#entries.set(pull.id, entry);
    return entry;
  }

  /** Forgets the first one that has ended. */
  #makeRoom(): void {
    if (this.#entries.size < maxListed) return;
    const ended = this.#all().find(({ pull: { state } }) => state === 'done' || state === 'failed');
    if (ended === undefined) throw new HearthError('busy', `there are ${maxListed} pulls already: cancel some of them`);
    this.#entries.delete(ended.pull.id);
  }

  #begin(entry: Entry): void {
    entry.stop = new AbortController();
    void this.#run(entry, entry.stop.signal);
  }

  async #run(entry: Entry, signal: AbortSignal): Promise<void> {
    try {
      for await (const part of this.#options.prepare(entry.pull).start(signal)) this.#note(entry, part);
      this.#change(entry, { state: 'done' });
    } catch (error) {
      // Paused, removed, or the server stops.
      if (signal.aborted) return;
      const problem = toHearthError(error).message;
      this.#options.logger.warn('a pull failed', { model: entry.pull.model, reason: problem });
      this.#change(entry, { state: 'failed', problem });
    }
    this.#save();
  }

  #note(entry: Entry, part: ModelProgress): void {
    this.#change(entry, { progress: addToSum(entry.pull.progress, part) });
  }

  #change(entry: Entry, fields: Partial<ModelPull>): void {
    entry.pull = { ...entry.pull, ...fields };
  }

  #save(): void {
    if (this.#isClosed) return;
    const unfinished = this.#all().filter(
      ({ pull: { state }, isOfRequest }) => !isOfRequest && (state === 'running' || state === 'paused'),
    );
    const saved = unfinished.map(({ pull: { model, insecure, as, state } }): SavedPull => {
      return { model, insecure, as, isPaused: state === 'paused' };
    });
    const { file, logger } = this.#options;
    this.#saved = this.#saved
      .then(() => writeDurably(file, Buffer.from(JSON.stringify(saved))))
      .catch((error: unknown) => logger.warn('the list of pulls cannot be written', { reason: messageOf(error) }));
  }

  async #readSaved(): Promise<SavedPull[]> {
    try {
      const saved = JSON.parse(await readFile(this.#options.file, 'utf8')) as readonly Partial<SavedPull>[];
      return saved.slice(0, maxListed).map(({ model, insecure, as, isPaused }) => ({
        model: String(model),
        insecure: insecure === true,
        as: as === undefined ? undefined : String(as),
        isPaused: isPaused === true,
      }));
    } catch {
      // None was saved.
      return [];
    }
  }
}

interface SavedPull extends PullInput {
  readonly isPaused: boolean;
}
