// The connection that notifications come over. It is also how the server knows whether the database answers: a query every
// second. When the connection has been lost, everything is read again.

import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import type { Database, Query } from './database.ts';

interface LinkOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reads what has changed. Called every second, and with `isNew` after each connection. */
  readonly catchUp: (query: Query, isNew: boolean) => Promise<void>;
  /** Called with the subject of a notification, and with its text. */
  readonly onNotice: (subject: string, text: string) => void;
}

const channel = 'hearth';
const beatMs = 1000;
const retryMs = { first: 100, most: 2000 };

/** A statement that sends a notification when its transaction is committed: the subject is $1, the text $2. */
export const sendNotice = `SELECT pg_notify('${channel}', $1::text || ' ' || $2::text)`;

export class Link {
  readonly #options: LinkOptions;
  #connection: Awaited<ReturnType<Database['listen']>> | undefined;
  #timer: Timer | undefined;
  #retryMs = retryMs.first;
  #isClosed = false;
  #isReachable = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  isReachable(): boolean {
    return this.#isReachable;
  }

  /** Rejects if there is no connection. Afterwards, a lost connection is replaced. */
  async open(): Promise<void> {
    await this.#connect();
    this.#beatLater(beatMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { database, catchUp, onNotice } = this.#options;
    const connection = await database.listen(channel, {
      onNotice(payload) {
        const space = payload.indexOf(' ');
        onNotice(payload.slice(0, space), payload.slice(space + 1));
      },
      onEnd: () => this.#lose(connection, 'the connection broke'),
    });
    this.#connection = connection;
    // Notifications from now on are not missed; those before are in what is read.
    await catchUp(connection.query, true);
    this.#isReachable = true;
    this.#retryMs = retryMs.first;
  }

  #lose(connection: unknown, reason: string): void {
    if (this.#connection !== connection || connection === undefined) return;
    this.#connection?.close();
    this.#connection = undefined;
    if (this.#isReachable && !this.#isClosed)
      this.#options.logger.error('the database with the shared state cannot be reached', { reason });
    this.#isReachable = false;
    this.#beatLater(this.#retryMs);
  }

  #beatLater(milliseconds: number): void {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.after(milliseconds, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    const connection = this.#connection;
    try {
      if (connection === undefined) await this.#reconnect();
      else await this.#options.catchUp(connection.query, false);
      this.#beatLater(beatMs);
    } catch (error) {
      if (this.#connection !== undefined) this.#lose(this.#connection, messageOf(error));
      this.#retryMs = Math.min(this.#retryMs * 2, retryMs.most);
      this.#beatLater(this.#retryMs);
    }
  }

  async #reconnect(): Promise<void> {
    await this.#connect();
    this.#options.logger.info('the database with the shared state can be reached again');
  }
}
