// All batches: creates them, runs them, and goes on with those that a stopped server has left.

import { HearthError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { lockStore, type StoreLock } from '../../../models/store/lock.ts';
import type { CreateBatchRequestBody } from '../batches-schema.ts';
import { type BatchRecord, hasEnded, newBatchId } from '../store/batch-store.ts';
import { newFileId } from '../store/file-store.ts';
import { BatchWork, type WorkParts } from './batch-work.ts';

const sweepIntervalMs = 60 * 60_000;
const maxRunning = 32;

interface BatchOwner {
  readonly owner: string;
  readonly keyId: string | undefined;
}

export class Batches {
  readonly #folder: string;
  readonly #parts: WorkParts;
  readonly #works = new Map<string, { readonly work: BatchWork; readonly ended: Promise<void> }>();
  /** Rejects if another server has the folder. */
  #opened: Promise<StoreLock> | undefined;
  #isStopped = false;

  constructor(folder: string, parts: WorkParts) {
    this.#folder = folder;
    this.#parts = parts;
  }

  /** Locks and reads the folder, once. Throws `store_locked` if another server uses it. */
  async open(): Promise<void> {
    const opened = this.#opened ?? this.#open();
    this.#opened = opened;
    try {
      await opened;
    } catch (error) {
      // The other server may have ended when the next request comes.
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** Goes on with what was left. */
  start(): void {
    const { logger } = this.#parts;
    this.open().catch((error: unknown) => logger.warn('batches are not run', { reason: messageOf(error) }));
  }

  async create({ owner, keyId }: BatchOwner, body: CreateBatchRequestBody): Promise<BatchRecord> {
    const { files, batches, clock } = this.#parts;
    const { purpose } = files.find(owner, body.input_file_id);
    if (purpose !== 'batch')
      throw new HearthError('bad_request', 'input_file_id: the file has another purpose than "batch"');
    if (batches.list(owner).filter((batch) => !hasEnded(batch)).length >= maxRunning)
      throw new HearthError('busy', `${maxRunning} batches are running; try again when one has ended`);
    const createdAt = Math.floor(clock.now() / 1000);
    const batch: BatchRecord = {
      id: newBatchId(),
      owner,
      keyId,
      endpoint: body.endpoint,
      inputFileId: body.input_file_id,
      completionWindow: body.completion_window,
      metadata: body.metadata,
      outputSeconds: body.output_expires_after?.seconds,
      createdAt,
      expiresAt: createdAt + Number.parseInt(body.completion_window, 10) * 3600,
      outputFileId: newFileId(),
      errorFileId: newFileId(),
      status: 'validating',
      at: {},
      counts: { total: 0, completed: 0, failed: 0 },
      problems: [],
    };
    await batches.add(batch);
    this.#begin(batch);
    return batch;
  }

  /** A batch that has ended stays as it is. */
  async cancel(owner: string, id: string): Promise<BatchRecord> {
    const { batches, clock } = this.#parts;
    const batch = batches.find(owner, id);
    const running = this.#works.get(id);
    if (hasEnded(batch) || batch.status === 'finalizing' || running === undefined) return batch;
    batch.status = 'cancelling';
    batch.at.cancelling ??= Math.floor(clock.now() / 1000);
    await batches.save(batch);
    running.work.cancel();
    return batch;
  }

  /** Whether the file is the input of a batch that runs. */
  isInput(owner: string, fileId: string): boolean {
    return this.#parts.batches.list(owner).some((batch) => batch.inputFileId === fileId && !hasEnded(batch));
  }

  /** Ends the lines that run. They are asked again after the next start. */
  stop(): void {
    this.#isStopped = true;
    for (const { work } of this.#works.values()) work.stop();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all([...this.#works.values()].map(({ ended }) => ended));
    const lock = await this.#opened?.catch(() => undefined);
    await lock?.release();
  }

  async #open(): Promise<StoreLock> {
    const { files, batches, clock } = this.#parts;
    await makeFolder(this.#folder, { mode: 0o700 });
    const lock = await lockStore(this.#folder, { clock });
    for (const owner of await batches.owners()) {
      const left = (await batches.open(owner)).filter((batch) => !hasEnded(batch));
      await files.open(owner, new Set(left.flatMap(({ outputFileId, errorFileId }) => [outputFileId, errorFileId])));
      for (const batch of left) this.#begin(batch);
    }
    this.#sweep();
    return lock;
  }

  #begin(batch: BatchRecord): void {
    if (this.#isStopped) return;
    const work = new BatchWork(batch, this.#parts);
    const ended = work
      .run()
      // Such as a full disk. The batch goes on after the next start.
      .catch((error: unknown) => this.#parts.logger.error('a batch stopped', { reason: messageOf(error) }))
      .finally(() => this.#works.delete(batch.id));
    this.#works.set(batch.id, { work, ended });
  }

  #sweep(): void {
    const { files, clock, logger } = this.#parts;
    if (this.#isStopped) return;
    files.removeExpired().catch((error: unknown) => logger.warn('files stay', { reason: messageOf(error) }));
    clock.after(sweepIntervalMs, () => this.#sweep());
  }
}
