// Texts of an owner in the database. The caller bounds their sizes and number.

import type { SharedTexts } from '../../base/state/shared-state.ts';
import type { Database, Query } from './database.ts';

interface TextOwner {
  readonly kind: string;
  readonly owner: string;
}

export function createTextTable(database: Database, { kind, owner }: TextOwner): SharedTexts {
  const open = (query: Query, lock: SharedTexts['lock']): SharedTexts => {
    const column = async (name: 'head' | 'text', id: string): Promise<string | undefined> => {
      const [row] = await query(`SELECT ${name} FROM hearth.texts WHERE kind = $1 AND owner = $2 AND id = $3`, [
        ...[kind, owner, id],
      ]);
      return row === undefined ? undefined : String(row[name]);
    };
    return {
      async list() {
        const rows = await query('SELECT id, head, bytes FROM hearth.texts WHERE kind = $1 AND owner = $2', [
          kind,
          owner,
        ]);
        return rows.map(({ id, head, bytes }) => ({ id: String(id), head: String(head), bytes: Number(bytes) }));
      },
      read: (id) => column('text', id),
      readHead: (id) => column('head', id),
      async write(id, head, text) {
        await query(
          'INSERT INTO hearth.texts VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, owner, id) DO UPDATE SET head = $4, bytes = $5, text = $6',
          [kind, owner, id, head, Buffer.byteLength(text), text],
        );
      },
      async remove(id) {
        const rows = await query('DELETE FROM hearth.texts WHERE kind = $1 AND owner = $2 AND id = $3 RETURNING id', [
          ...[kind, owner, id],
        ]);
        return rows.length > 0;
      },
      lock,
    };
  };
  const lock: SharedTexts['lock'] = (work) =>
    database.transaction(async (query) => {
      await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [JSON.stringify([kind, owner])]);
      return work(open(query, (inner) => inner(open(query, lock))));
    });
  return open(database.query, lock);
}
