// The batches of each owner: <owner>/batches/<id>.json

import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import { isObject, parseJson } from '../../../base/json-values.ts';
import type { BatchBody, batchEndpoints } from '../batches-schema.ts';

interface LineCounts {
  total: number;
  completed: number;
  failed: number;
}

type Moment = 'inProgress' | 'finalizing' | 'completed' | 'failed' | 'expired' | 'cancelling' | 'cancelled';

export interface LineProblem {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

export interface BatchRecord {
  readonly id: string;
  readonly owner: string;
  /** Absent: the server had no keys. */
  readonly keyId?: string;
  readonly endpoint: (typeof batchEndpoints)[number];
  readonly inputFileId: string;
  readonly completionWindow: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Seconds that results are kept. Absent: until they are deleted. */
  readonly outputSeconds?: number;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Written while the batch runs, and shown when it ends. */
  readonly outputFileId: string;
  readonly errorFileId: string;
  status: BatchBody['status'];
  readonly at: Partial<Record<Moment, number>>;
  readonly counts: LineCounts;
  problems: readonly LineProblem[];
}

const maxOwnerBatches = 1000;
const suffix = '.json';

export function newBatchId(): string {
  return `batch_${randomBytes(12).toString('hex')}`;
}

export function hasEnded({ status }: Pick<BatchRecord, 'status'>): boolean {
  return ['failed', 'completed', 'expired', 'cancelled'].includes(status);
}

export class BatchStore {
  readonly #folder: string;
  /** By owner and id, newest last. This process alone changes the folder. */
  readonly #batches = new Map<string, Map<string, BatchRecord>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async owners(): Promise<string[]> {
    const entries = (await undefinedIfMissing(readdir(this.#folder, { withFileTypes: true }))) ?? [];
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  }

  /** Reads the batches of an owner. */
  async open(owner: string): Promise<readonly BatchRecord[]> {
    const folder = this.#folderOf(owner);
    const batches: BatchRecord[] = [];
    for (const name of (await undefinedIfMissing(readdir(folder))) ?? []) {
      const stored = name.endsWith(suffix) ? parseJson(await readFile(join(folder, name), 'utf8')) : undefined;
      if (isObject(stored)) batches.push(stored as unknown as BatchRecord);
      else if (!name.endsWith(suffix)) await rm(join(folder, name), { force: true });
    }
    batches.sort((a, b) => a.createdAt - b.createdAt);
    this.#batches.set(owner, new Map(batches.map((batch) => [batch.id, batch])));
    return batches;
  }

  list(owner: string): readonly BatchRecord[] {
    return [...this.#of(owner).values()];
  }

  find(owner: string, id: string): BatchRecord {
    const batch = this.#of(owner).get(id);
    if (batch === undefined) throw new HearthError('batch_not_found', `no batch has the id "${id.slice(0, 64)}"`);
    return batch;
  }

  /** The oldest batches that have ended are forgotten; their files stay. */
  async add(batch: BatchRecord): Promise<void> {
    const others = this.#of(batch.owner);
    const ended = [...others.values()].filter(hasEnded);
    while (others.size >= maxOwnerBatches) {
      const oldest = ended.shift();
      if (oldest === undefined) throw new HearthError('files_full', `there are ${maxOwnerBatches} batches that run`);
      others.delete(oldest.id);
      await rm(this.#pathOf(oldest), { force: true });
    }
    await makeFolder(this.#folderOf(batch.owner), { mode: 0o700 });
    await this.save(batch);
    others.set(batch.id, batch);
  }

  async save(batch: BatchRecord): Promise<void> {
    await replaceFile(this.#pathOf(batch), `${JSON.stringify(batch)}\n`);
  }

  #of(owner: string): Map<string, BatchRecord> {
    const batches = this.#batches.get(owner) ?? new Map<string, BatchRecord>();
    this.#batches.set(owner, batches);
    return batches;
  }

  #pathOf({ owner, id }: BatchRecord): string {
    return join(this.#folderOf(owner), `${id}${suffix}`);
  }

  #folderOf(owner: string): string {
    return join(this.#folder, owner, 'batches');
  }
}
