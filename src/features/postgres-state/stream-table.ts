// Answers in the database, which are read while they are written. A notification says that there is more; a reader also
// looks every second.

import { HearthError } from '../../base/errors.ts';
import type { SharedStreams } from '../../base/state/shared-state.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../base/time/duration.ts';
import type { Database } from './database.ts';
import { sendNotice } from './link.ts';

const lease = '60 seconds';
/** Streams whose writer has ended are kept, so that what there is can be read. */
const keptAfterLease = '5 minutes';
const lookMs = 1000;
/** After the database was away, servers have this time to say that they still write. */
const returnNanoseconds = 5 * nanosecondsPerSecond;
const partRows = 200;
/** A reader says this often that it reads. */
const readEvery = '5 seconds';

export class StreamTable implements SharedStreams {
  readonly #database: Database;
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  #wasConnected = false;
  #returnedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #cancelListeners: ((id: string) => void)[] = [];

  constructor(database: Database, clock: Pick<Clock, 'after' | 'monotonic'>) {
    this.#database = database;
    this.#clock = clock;
  }

  onNotice(subject: string, id: string): void {
    if (subject === 'stream-cancel') for (const cancel of this.#cancelListeners) cancel(id);
    if (subject !== 'stream') return;
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  /** Called with each connection to the database. */
  onConnected(): void {
    if (this.#wasConnected) this.#returnedAt = this.#clock.monotonic();
    this.#wasConnected = true;
  }

  onCancel(listener: (id: string) => void): void {
    this.#cancelListeners.push(listener);
  }

  readonly append: SharedStreams['append'] = ({ id, owner, first, parts }) =>
    this.#database.transaction(async (query) => {
      await query(
        `INSERT INTO hearth.streams (id, owner, expires_at) VALUES ($1, $2, now() + $3::interval)
         ON CONFLICT (id) DO UPDATE SET expires_at = now() + $3::interval`,
        [id, owner, lease],
      );
      await query(
        'INSERT INTO hearth.stream_parts SELECT $1, number, text FROM unnest($2::bigint[], $3::text[]) AS given(number, text) ON CONFLICT DO NOTHING',
        [id, parts.map(({ number }) => number), parts.map(({ text }) => text)],
      );
      if (first > 0) await query('DELETE FROM hearth.stream_parts WHERE id = $1 AND number < $2', [id, first]);
      await query(sendNotice, ['stream', id]);
    });

  async end(id: string, error: string | undefined, keptForMs: number): Promise<void> {
    await this.#database.transaction(async (query) => {
      await query(
        `UPDATE hearth.streams SET is_over = true, error = $2, expires_at = now() + $3 * interval '1 millisecond' WHERE id = $1`,
        [id, error ?? null, keptForMs],
      );
      await query('DELETE FROM hearth.streams WHERE expires_at < now() - $1::interval', [keptAfterLease]);
      await query(sendNotice, ['stream', id]);
    });
  }

  async renew(ids: readonly string[]): Promise<void> {
    await this.#database.query(
      'UPDATE hearth.streams SET expires_at = now() + $2::interval WHERE id = ANY($1) AND NOT is_over',
      [[...ids], lease],
    );
  }

  async remove(id: string): Promise<void> {
    await this.#database.query('DELETE FROM hearth.streams WHERE id = $1', [id]);
  }

  async isRead(id: string): Promise<boolean> {
    const [row] = await this.#database.query(
      'SELECT read_at > now() - 2 * $2::interval AS recent FROM hearth.streams WHERE id = $1',
      [id, readEvery],
    );
    return row?.['recent'] === true;
  }

  async exists(id: string, owner: string): Promise<boolean> {
    const rows = await this.#database.query(
      'SELECT id FROM hearth.streams WHERE id = $1 AND owner = $2 AND (expires_at > now() OR NOT is_over)',
      [id, owner],
    );
    return rows.length > 0;
  }

  async read(id: string, from: number): Promise<readonly string[]> {
    const state = await this.#readState(id);
    const texts: string[] = [];
    for (let part = partRows; part === partRows; ) {
      const found = await this.#readTexts(id, from + texts.length);
      texts.push(...found);
      part = found.length;
    }
    if (texts.length === 0) hasEnded(state);
    return texts;
  }

  async *follow(id: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
    for (let next = from; !signal.aborted; ) {
      // The state first: parts that it promises are there afterwards.
      const state = await this.#readState(id);
      const texts = await this.#readTexts(id, next);
      next += texts.length;
      yield* texts;
      if (texts.length === partRows) continue;
      if (hasEnded(state)) return;
      if (texts.length === 0) await this.#waitFor(id, signal);
    }
  }

  async cancel(id: string): Promise<void> {
    await this.#database.query(sendNotice, ['stream-cancel', id]);
  }

  async #readTexts(id: string, from: number): Promise<string[]> {
    const rows = await this.#database.query(
      'SELECT number, text FROM hearth.stream_parts WHERE id = $1 AND number >= $2 ORDER BY number LIMIT $3',
      [id, from, partRows],
    );
    return rows.map(({ number, text }, index) => {
      if (Number(number) !== from + index) throw dropped(from + index);
      return String(text);
    });
  }

  async #readState(id: string): Promise<StreamState> {
    const [row] = await this.#database.query(
      `UPDATE hearth.streams SET read_at = CASE WHEN read_at > now() - $2::interval THEN read_at ELSE now() END
       WHERE id = $1 RETURNING is_over, error, expires_at < now() AS is_lost`,
      [id, readEvery],
    );
    if (row === undefined) throw dropped(0);
    const { is_over: isOver, error, is_lost: isLost } = row;
    const mayReturn = this.#clock.monotonic() - this.#returnedAt < returnNanoseconds;
    return {
      isOver: isOver === true,
      isLost: isLost === true && !mayReturn,
      error: error === null ? undefined : String(error),
    };
  }

  #waitFor(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wakers = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, wakers);
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', wake);
        wakers.delete(wake);
        if (wakers.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const timer = this.#clock.after(lookMs, wake);
      wakers.add(wake);
      signal.addEventListener('abort', wake);
      if (signal.aborted) wake();
    });
  }
}

interface StreamState {
  readonly isOver: boolean;
  readonly isLost: boolean;
  readonly error: string | undefined;
}

/** Throws the error of the answer, and if its server has ended. */
function hasEnded({ isOver, isLost, error }: StreamState): boolean {
  if (isOver && error !== undefined) throw toError(error);
  if (!isOver && isLost) throw new HearthError('request_failed', 'the server that generated this answer has ended');
  return isOver;
}

function dropped(number: number): HearthError {
  return new HearthError('answer_dropped', `the object ${number} of this answer is not kept any more`);
}

/** An error as its writer has stored it. */
function toError(text: string): HearthError {
  const { code, message } = JSON.parse(text) as Pick<HearthError, 'code' | 'message'>;
  return new HearthError(code, message);
}
