// The work of one batch: checks its lines, asks them, and writes the answers. It can end at any moment: what was written is
// kept, and a new one goes on with the lines that have no answer.

import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { HearthError, toHearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';
import type { InternalRequests } from '../../../server/http/internal-requests.ts';
import type { BatchRecord, BatchStore } from '../store/batch-store.ts';
import type { FileStore } from '../store/file-store.ts';
import { type InputLine, indexLines, readRequest } from './input-lines.ts';
import { LineLog } from './line-log.ts';
import type { LineSlots } from './line-slots.ts';

export interface WorkParts {
  readonly files: FileStore;
  readonly batches: BatchStore;
  readonly requests: Pick<InternalRequests, 'send'>;
  readonly slots: LineSlots;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Why a batch ends before all lines have an answer. */
type EarlyEnd = 'cancelled' | 'expired';

interface Logs {
  readonly output: LineLog;
  readonly errors: LineLog;
}

type LineAnswer = Awaited<ReturnType<InternalRequests['send']>>;

// A model that cannot be loaded fails for all lines, and the machine should not do nothing else.
const maxAttempts = 3;
const retryMs = { least: 1000, most: 60_000, unknown: 5000 };
// A server that stops does not wait for longer.
const stopCheckMs = 500;
const expiryCheckMs = 30_000;
const unavailable = [429, 503];

export class BatchWork {
  readonly #batch: BatchRecord;
  readonly #parts: WorkParts;
  /** Aborts when the batch ends early, with the reason, or when the server stops. */
  readonly #ending = new AbortController();
  #earlyEnd: EarlyEnd | undefined;
  /** The ids of lines that have an answer. */
  readonly #answered = new Set<string>();
  /** How often the server failed to answer a line. */
  readonly #failures = new Map<string, number>();
  #restsUntilMs = 0;

  constructor(batch: BatchRecord, parts: WorkParts) {
    this.#batch = batch;
    this.#parts = parts;
    if (batch.status === 'cancelling') this.#end('cancelled');
  }

  /** The lines that run are not answered. */
  cancel(): void {
    this.#end('cancelled');
  }

  /** The batch goes on when the server starts again. */
  stop(): void {
    this.#ending.abort();
  }

  async run(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      if (!this.#isStopped) await this.#fail([this.#toProblem(error)]);
    }
  }

  async #run(): Promise<void> {
    const { files } = this.#parts;
    const { owner, inputFileId, endpoint, counts } = this.#batch;
    const expiry = this.#watchExpiry();
    const path = files.pathOf(owner, inputFileId);
    try {
      const { lines, problems } = await indexLines(path, endpoint, this.#ending.signal);
      if (problems.length > 0) return await this.#fail(problems);
      counts.total = lines.length;
      const logs = await this.#openLogs();
      const failure = await this.#answer(path, lines, logs);
      if (this.#isStopped) return;
      await this.#finish(logs, failure);
    } finally {
      expiry.cancel();
    }
  }

  /** Resolves with the error that ended it. Answers that were written are kept in any case. */
  async #answer(path: string, lines: readonly InputLine[], logs: Logs): Promise<unknown> {
    try {
      if (this.#batch.status === 'validating') await this.#enter('in_progress', 'inProgress');
      await this.#askAll(path, lines, logs);
      if (this.#earlyEnd === 'expired') await this.#writeExpired(lines, logs);
      return undefined;
    } catch (error) {
      return error;
    } finally {
      await logs.output.close();
      await logs.errors.close();
    }
  }

  /** Whether the server stops, and the batch goes on later. */
  get #isStopped(): boolean {
    return this.#ending.signal.aborted && this.#earlyEnd === undefined;
  }

  #end(reason: EarlyEnd): void {
    this.#earlyEnd ??= reason;
    this.#ending.abort();
  }

  #watchExpiry(): { cancel(): void } {
    const { clock } = this.#parts;
    const remaining = (): number => this.#batch.expiresAt * 1000 - clock.now();
    // The clock may be set, and the machine may sleep.
    const check = (): void => {
      if (remaining() <= 0) this.#end('expired');
      else timer = clock.after(Math.min(remaining(), expiryCheckMs), check);
    };
    let timer = clock.after(0, check);
    return { cancel: () => timer.cancel() };
  }

  async #openLogs(): Promise<Logs> {
    const { files } = this.#parts;
    const { owner, outputFileId, errorFileId, counts } = this.#batch;
    const read = (count: 'completed' | 'failed') => {
      counts[count] = 0;
      return (line: string): void => {
        const { custom_id: id } = JSON.parse(line) as { readonly custom_id: string };
        this.#answered.add(id);
        counts[count]++;
      };
    };
    return {
      output: await LineLog.open(files.pathOf(owner, outputFileId), read('completed')),
      errors: await LineLog.open(files.pathOf(owner, errorFileId), read('failed')),
    };
  }

  /** Begins the lines in their order; the slots decide how many run. */
  async #askAll(path: string, lines: readonly InputLine[], logs: Logs): Promise<void> {
    const { slots } = this.#parts;
    const { signal } = this.#ending;
    const file = await open(path, 'r');
    const running = new Set<Promise<unknown>>();
    const failures: unknown[] = [];
    const again = lines.filter(({ customId }) => !this.#answered.has(customId)).reverse();
    try {
      while (!signal.aborted && failures.length === 0) {
        if (this.#restMs() > 0) {
          await pause(this.#parts.clock, Math.min(this.#restMs(), stopCheckMs));
          continue;
        }
        const line = again.pop();
        if (line === undefined) {
          if (running.size === 0) break;
          await Promise.race(running);
          continue;
        }
        let begun = (): void => {};
        const isBegun = new Promise<void>((resolve) => {
          begun = resolve;
        });
        const work = slots
          .run(async (lineSignal) => {
            begun();
            const { body } = await readRequest(file, line, this.#batch.endpoint);
            return this.#ask(line.customId, body, lineSignal);
          }, signal)
          .then(async (answer) => {
            if (answer === undefined) again.push(line);
            else await this.#write(line.customId, answer, logs);
          })
          .catch((error: unknown) => failures.push(error))
          .finally(() => running.delete(work));
        running.add(work);
        await Promise.race([isBegun, work]);
      }
    } finally {
      await Promise.all(running);
      await file.close();
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Undefined: the line has to be asked again. The batch rests before that, and others can use its slots. */
  async #ask(customId: string, body: Buffer, signal: AbortSignal): Promise<LineAnswer | undefined> {
    const answer = await this.#send(body, signal);
    if (answer === undefined) return undefined;
    const { status, retryAfter = retryMs.unknown / 1000 } = answer;
    if (status === 401) throw new HearthError('unauthorized', 'the server needs a key, and the batch has none');
    const isUnavailable = unavailable.includes(status);
    const failures = (this.#failures.get(customId) ?? 0) + 1;
    if (!isUnavailable && (status < 500 || failures >= maxAttempts)) return answer;
    if (!isUnavailable) this.#failures.set(customId, failures);
    const restMs = Math.min(Math.max(retryAfter * 1000, retryMs.least), retryMs.most);
    this.#restsUntilMs = Math.max(this.#restsUntilMs, this.#parts.clock.now() + restMs);
    return undefined;
  }

  #restMs(): number {
    // The clock may be set back.
    return Math.min(this.#restsUntilMs - this.#parts.clock.now(), retryMs.most);
  }

  /** Undefined if the signal aborts before the answer. */
  async #send(body: Buffer, signal: AbortSignal): Promise<LineAnswer | undefined> {
    const { endpoint: path, keyId, owner } = this.#batch;
    try {
      return await this.#parts.requests.send({
        path,
        body,
        sender: { keyId, client: `batch ${owner}`, background: true },
        signal,
      });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #write(customId: string, { status, requestId, body }: LineAnswer, { output, errors }: Logs): Promise<void> {
    const { counts } = this.#batch;
    const isRight = status === 200;
    // The body is JSON already. A line must not contain a newline.
    const text = body.includes('\n') ? JSON.stringify(JSON.parse(body)) : body;
    const response = `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${text}}`;
    await (isRight ? output : errors).append(
      `{"id":"${newLineId()}","custom_id":${JSON.stringify(customId)},"response":${response},"error":null}`,
    );
    this.#answered.add(customId);
    if (isRight) counts.completed++;
    else counts.failed++;
  }

  async #writeExpired(lines: readonly InputLine[], { errors }: Logs): Promise<void> {
    const { counts } = this.#batch;
    const error = { code: 'batch_expired', message: 'the time of the batch was over before this line was asked' };
    for (const { customId } of lines) {
      if (this.#answered.has(customId)) continue;
      await errors.append(JSON.stringify({ id: newLineId(), custom_id: customId, response: null, error }));
      counts.failed++;
    }
  }

  async #finish({ output, errors }: Logs, failure: unknown): Promise<void> {
    const { files } = this.#parts;
    const { owner, id, outputFileId, errorFileId, outputSeconds } = this.#batch;
    await this.#enter('finalizing', 'finalizing');
    const expiresAt = outputSeconds === undefined ? undefined : this.#now() + outputSeconds;
    for (const [fileId, log, kind] of [
      [outputFileId, output, 'output'],
      [errorFileId, errors, 'error'],
    ] as const)
      if (!log.isEmpty)
        await files.publish(owner, fileId, { filename: `${id}_${kind}.jsonl`, purpose: 'batch_output', expiresAt });
    if (failure !== undefined) return this.#fail([this.#toProblem(failure)]);
    const end = this.#earlyEnd ?? 'completed';
    await this.#enter(end, end);
  }

  async #fail(problems: BatchRecord['problems']): Promise<void> {
    this.#batch.problems = problems;
    await this.#enter('failed', 'failed');
  }

  #toProblem(error: unknown): BatchRecord['problems'][number] {
    const { code, message } = toHearthError(error);
    this.#parts.logger.error('a batch failed', { batch: this.#batch.id, code, error: message });
    return { code, message, param: null, line: null };
  }

  async #enter(status: BatchRecord['status'], moment: keyof BatchRecord['at']): Promise<void> {
    this.#batch.status = status;
    this.#batch.at[moment] = this.#now();
    await this.#parts.batches.save(this.#batch);
  }

  #now(): number {
    return Math.floor(this.#parts.clock.now() / 1000);
  }
}

function newLineId(): string {
  return `batch_req_${randomBytes(12).toString('hex')}`;
}
