// Connections to the database: a bounded pool, a time limit for each query, and errors without anything of the address.

import type { ClientBase, ClientConfig, Notification, Pool } from 'pg';
import type { DatabaseAddress } from '../../base/config/state-address.ts';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { stateUnreachable } from '../../base/state/shared-state.ts';

export type DatabaseRow = Readonly<Record<string, unknown>>;

/** Parameters are never a part of the text. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly DatabaseRow[]>;

const databaseLimits = {
  connections: 8,
  /** Queries that wait for a connection. */
  waiting: 4096,
  connectMs: 5000,
  /** The server ends the query; a server that does not answer is given up a little later. */
  queryMs: 5000,
  silenceMs: 6000,
  /** For the connection that says whether the database answers. */
  beatMs: 3000,
} as const;

interface DatabaseOptions {
  readonly address: DatabaseAddress;
  /** PEM texts; absent: the public authorities. */
  readonly authorities?: readonly string[] | undefined;
}

export class Database {
  readonly #readConfig: () => Promise<ClientConfig>;
  #config: Promise<ClientConfig> | undefined;
  #pool: Promise<Pool> | undefined;
  #isClosed = false;

  /** `readOptions` is called with the first query. */
  constructor(readOptions: () => Promise<DatabaseOptions>) {
    this.#readConfig = async () => toConfig(await readOptions());
  }

  readonly query: Query = async (text, values = []) => {
    const pool = await this.#open();
    if (pool.waitingCount >= databaseLimits.waiting) throw stateUnreachable('too many queries are waiting');
    try {
      // On a timeout, pg closes the connection instead of using it again.
      const { rows } = await pool.query({ text, values: [...values] });
      return rows as DatabaseRow[];
    } catch (error) {
      throw toStateError(error);
    }
  };

  /** Everything that `work` does is stored, or nothing. */
  async transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const pool = await this.#open();
    if (pool.waitingCount >= databaseLimits.waiting) throw stateUnreachable('too many queries are waiting');
    const client = await pool.connect().catch((error: unknown) => {
      throw toStateError(error);
    });
    const query = queryOf(client);
    try {
      await query('BEGIN');
      const result = await work(query);
      await query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // The end of the connection is also the end of the transaction.
      client.release(true);
      throw error;
    }
  }

  /** A connection of its own, which gets the notifications of a channel. `onEnd` is called once, when the connection ends. */
  async listen(
    channel: string,
    { onNotice, onEnd }: { readonly onNotice: (payload: string) => void; readonly onEnd: () => void },
  ): Promise<{ readonly query: Query; close(): void }> {
    const { Client } = await import('pg');
    this.#config ??= this.#readConfig();
    const client = new Client(await this.#config);
    const close = (): void => void client.end().catch(() => {});
    client.on('error', () => {});
    client.on('notification', ({ payload = '' }: Notification) => onNotice(payload));
    const query = queryOf(client, databaseLimits.beatMs);
    try {
      await client.connect();
      await query(`LISTEN ${channel}`);
      client.once('end', onEnd);
    } catch (error) {
      close();
      throw toStateError(error);
    }
    return { query, close };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#pool)?.end();
  }

  async #open(): Promise<Pool> {
    if (this.#isClosed) throw stateUnreachable('the server is stopping');
    this.#config ??= this.#readConfig();
    this.#pool ??= this.#config.then(createPool);
    return this.#pool;
  }
}

async function createPool(config: ClientConfig): Promise<Pool> {
  const { Pool } = await import('pg');
  const { connections: max, connectMs } = databaseLimits;
  const pool = new Pool({ ...config, max, connectionTimeoutMillis: connectMs, idleTimeoutMillis: 30_000 });
  // A connection that breaks while nobody uses it; the next query opens another one.
  pool.on('error', () => {});
  return pool;
}

function queryOf(client: ClientBase, limitMs: number = databaseLimits.silenceMs): Query {
  return async (text, values = []) => {
    try {
      // The types of pg do not have the limit of a query.
      const config = { text, values: [...values], query_timeout: limitMs };
      const { rows } = await client.query(config);
      return rows as DatabaseRow[];
    } catch (error) {
      throw toStateError(error);
    }
  };
}

/** Complete, so that variables and files of PostgreSQL's own programs have no effect. */
function toConfig({ address, authorities }: DatabaseOptions): ClientConfig {
  const { host, port, user, password, database, tls } = address;
  return {
    ...{ host, port, user, database },
    password: () => password,
    ssl: tls === 'disable' ? false : { rejectUnauthorized: tls === 'verify-full', ca: authorities && [...authorities] },
    application_name: 'hearth',
    options: '-c client_min_messages=warning',
    keepAlive: true,
    connectionTimeoutMillis: databaseLimits.connectMs,
    statement_timeout: databaseLimits.queryMs,
    lock_timeout: databaseLimits.queryMs,
    idle_in_transaction_session_timeout: databaseLimits.queryMs,
    query_timeout: databaseLimits.silenceMs,
  };
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOENT: 'its Unix socket does not exist',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ECONNRESET: 'the connection broke',
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses the user',
  '3D000': 'there is no database with this name',
  '42501': 'the user may not do this there',
  '53300': 'it has too many connections',
  '57014': 'it took too long',
  '55P03': 'it took too long',
  '57P01': 'it is stopping',
  '57P02': 'it is stopping',
  '57P03': 'it is starting or stopping',
  '25006': 'it is read-only',
};

/** Messages of the database name users, hosts and values, so only the code is shown. */
function toStateError(error: unknown): HearthError {
  if (error instanceof HearthError) return error;
  const code = systemCodeOf(error) ?? '';
  const isOfTls = /certificate|ssl|tls/i.test(code === '' ? messageOf(error) : code);
  const unknown = isOfTls ? 'TLS failed' : code === '' ? 'it does not answer' : `error ${code.slice(0, 40)}`;
  return stateUnreachable(reasons[code] ?? unknown);
}
