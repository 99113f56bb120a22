// Documents in the database, with copies in memory that follow it.

import type { SharedDocument } from '../../base/state/shared-state.ts';
import type { Database, Query } from './database.ts';
import { sendNotice } from './link.ts';

interface Copy {
  readonly onChange: () => void;
  version: number;
  text: string | undefined;
}

export class Documents {
  readonly #database: Database;
  readonly #copies = new Map<string, Copy>();

  constructor(database: Database) {
    this.#database = database;
  }

  declare(name: string, onChange: () => void): SharedDocument {
    const copy: Copy = { onChange, version: 0, text: undefined };
    this.#copies.set(name, copy);
    return {
      text: () => copy.text,
      version: () => copy.version,
      change: async (edit) => {
        const stored = await this.#database.transaction(async (query) => {
          // A row that two servers create at once exists once, and its lock is held until the end.
          await query("INSERT INTO hearth.documents VALUES ($1, 0, '') ON CONFLICT DO NOTHING", [name]);
          const [row] = await query('SELECT version, text FROM hearth.documents WHERE name = $1 FOR UPDATE', [name]);
          const version = Number(row?.['version']);
          const { text, result } = edit(version === 0 ? undefined : String(row?.['text']));
          await query('UPDATE hearth.documents SET version = $2, text = $3 WHERE name = $1', [name, version + 1, text]);
          await query(sendNotice, ['document', name]);
          return { text, version: version + 1, result };
        });
        take(copy, stored);
        return stored.result;
      },
    };
  }

  /** Reads those that have another version than their copy. */
  async catchUp(query: Query): Promise<void> {
    const rows = await query(
      'SELECT d.name, d.version, d.text FROM hearth.documents d JOIN unnest($1::text[], $2::bigint[]) AS known(name, version) ON known.name = d.name WHERE d.version <> known.version AND d.version > 0',
      [[...this.#copies.keys()], [...this.#copies.values()].map(({ version }) => version)],
    );
    for (const { name, version, text } of rows) {
      const copy = this.#copies.get(String(name));
      if (copy) take(copy, { version: Number(version), text: String(text) });
    }
  }
}

/** An answer that was on its way while a later one arrived changes nothing. */
function take(copy: Copy, { version, text }: { readonly version: number; readonly text: string }): void {
  if (version <= copy.version) return;
  copy.version = version;
  copy.text = text;
  copy.onChange();
}
