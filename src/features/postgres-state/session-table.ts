// Sessions in the database. Every server knows all of them: a cookie is looked up in memory.

import type { SessionListener, SharedSession, SharedSessionStore } from '../../base/state/shared-state.ts';
import type { Database, DatabaseRow, Query } from './database.ts';
import { sendNotice } from './link.ts';

const columns = 'number, name, key, hash, extract(epoch FROM expires_at) * 1000 AS expires_ms';
// Any number: sessions become visible in the order of their numbers.
const orderLock = 4_873_025_117;

export class SessionTable {
  readonly #database: Database;
  #listener: SessionListener | undefined;
  /** The number of the last session that is known. */
  #last = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  declare(listener: SessionListener): SharedSessionStore {
    this.#listener = listener;
    return {
      add: async (session, limits) => {
        const { name, key, hash, expiresAt } = session;
        await this.#database.transaction(async (query) => {
          await query('SELECT pg_advisory_xact_lock($1)', [orderLock]);
          await query('DELETE FROM hearth.sessions WHERE expires_at < now()');
          const ended = [
            ...(await query(oldestOfKey, [key, limits.perKey - 1])),
            ...(await query(oldestOfMost, [limits.all])),
          ];
          await query(
            'INSERT INTO hearth.sessions (name, key, hash, expires_at) VALUES ($1, $2, $3, to_timestamp($4::double precision / 1000))',
            [name, key, hash, expiresAt],
          );
          for (const row of ended) await query(sendNotice, ['session-end', row['name']]);
          await query(sendNotice, ['session', '']);
        });
        listener.onAdded(session);
      },
      end: async (name) => {
        await this.#database.transaction(async (query) => {
          await query('DELETE FROM hearth.sessions WHERE name = $1', [name]);
          await query(sendNotice, ['session-end', name]);
        });
        listener.onEnded(name);
      },
    };
  }

  onNotice(subject: string, text: string): void {
    if (subject === 'session-end') this.#listener?.onEnded(text);
  }

  /** Reads new sessions; all of them if notifications may have been missed. */
  async catchUp(query: Query, isNew: boolean): Promise<void> {
    if (this.#listener === undefined) return;
    const after = isNew ? 0 : this.#last;
    const rows = await query(
      `SELECT ${columns} FROM hearth.sessions WHERE number > $1 AND expires_at > now() ORDER BY number`,
      [after],
    );
    const sessions = rows.map(toSession);
    if (isNew) this.#listener.onAll(sessions);
    else for (const session of sessions) this.#listener.onAdded(session);
    this.#last = Math.max(this.#last, Number(rows.at(-1)?.['number'] ?? 0));
  }
}

const oldestOfKey =
  'DELETE FROM hearth.sessions WHERE name IN (SELECT name FROM hearth.sessions WHERE key = $1 ORDER BY number DESC OFFSET $2) RETURNING name';

/** A key that signs in again and again ends its own sessions, not those of others. */
const oldestOfMost = `DELETE FROM hearth.sessions
  WHERE (SELECT count(*) FROM hearth.sessions) >= $1 AND number = (
    SELECT min(number) FROM hearth.sessions
    WHERE key = (SELECT key FROM hearth.sessions GROUP BY key ORDER BY count(*) DESC LIMIT 1)
  ) RETURNING name`;

function toSession({ name, key, hash, expires_ms: expiresAt }: DatabaseRow): SharedSession {
  return { name: String(name), key: String(key), hash: String(hash), expiresAt: Number(expiresAt) };
}
