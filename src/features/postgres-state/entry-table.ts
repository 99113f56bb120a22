// Entries in the database, which every server keeps in memory: unlike a document, a change writes and sends only what is new.

import type { EntryChanges, SharedEntries } from '../../base/state/shared-state.ts';
import type { Database, DatabaseRow, Query } from './database.ts';
import { sendNotice } from './link.ts';

interface Copy {
  readonly onChange: (changes: EntryChanges) => void;
  ids: Set<string>;
  /** Everything up to this version is known. */
  version: number;
}

/** A server that has missed a removal for so long has lost its connection, and reads everything again. */
const removedFor = '1 hour';

export class EntryTable {
  readonly #database: Database;
  readonly #copies = new Map<string, Copy>();

  constructor(database: Database) {
    this.#database = database;
  }

  declare(kind: string, onChange: (changes: EntryChanges) => void): SharedEntries {
    const copy: Copy = { onChange, ids: new Set(), version: 0 };
    this.#copies.set(kind, copy);
    return {
      change: async (edit) => {
        const stored = await this.#database.transaction(async (query) => {
          // Versions of a kind become visible in their order.
          await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [kind]);
          const newer =
            'SELECT id, version, text FROM hearth.entries WHERE kind = $1 AND version > $2 ORDER BY version';
          takeNewer(copy, await query(newer, [kind, copy.version]));
          const { changes, result } = edit();
          return { version: await write(query, kind, changes), changes, result };
        });
        const { version, changes, result } = stored;
        if (version > copy.version) takeChanges(copy, changes, version);
        return result;
      },
    };
  }

  /** Reads what is newer than the copies; everything if notifications may have been missed. */
  async catchUp(query: Query, isNew: boolean): Promise<void> {
    if (this.#copies.size === 0) return;
    const rows = await query(
      'SELECT e.kind, e.id, e.version, e.text FROM hearth.entries e JOIN unnest($1::text[], $2::bigint[]) AS known(kind, version) ON known.kind = e.kind WHERE e.version > known.version ORDER BY e.version',
      [[...this.#copies.keys()], [...this.#copies.values()].map(({ version }) => (isNew ? 0 : version))],
    );
    for (const [kind, copy] of this.#copies) {
      const found = rows.filter((row) => row['kind'] === kind);
      if (isNew) takeAll(copy, found);
      else takeNewer(copy, found);
    }
  }
}

/** Resolves with the version of the changes; 0 if there are none. */
async function write(query: Query, kind: string, changes: EntryChanges): Promise<number> {
  if (changes.size === 0) return 0;
  const [row] = await query(
    `WITH next AS (SELECT nextval('hearth.entry_versions') AS version), written AS (
       INSERT INTO hearth.entries (kind, id, version, text)
       SELECT $1, id, next.version, text FROM next, unnest($2::text[], $3::text[]) AS given(id, text)
       ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, text = excluded.text, changed_at = now()
     ) SELECT version FROM next`,
    [kind, [...changes.keys()], [...changes.values()].map((text) => text ?? null)],
  );
  if ([...changes.values()].includes(undefined))
    await query('DELETE FROM hearth.entries WHERE kind = $1 AND text IS NULL AND changed_at < now() - $2::interval', [
      ...[kind, removedFor],
    ]);
  await query(sendNotice, ['entries', kind]);
  return Number(row?.['version']);
}

/** Rows that were on their way while later ones arrived change nothing. */
function takeNewer(copy: Copy, rows: readonly DatabaseRow[]): void {
  const newer = rows.filter(({ version }) => Number(version) > copy.version);
  const last = newer.at(-1);
  if (last !== undefined) takeChanges(copy, toChanges(newer), Number(last['version']));
}

function takeAll(copy: Copy, rows: readonly DatabaseRow[]): void {
  const found = toChanges(rows);
  const gone = [...copy.ids].filter((id) => !found.has(id)).map((id) => [id, undefined] as const);
  takeChanges(copy, new Map([...found, ...gone]), Number(rows.at(-1)?.['version'] ?? 0));
}

function takeChanges(copy: Copy, changes: EntryChanges, version: number): void {
  copy.version = version;
  for (const [id, text] of changes)
    if (text === undefined) copy.ids.delete(id);
    else copy.ids.add(id);
  if (changes.size > 0) copy.onChange(changes);
}

function toChanges(rows: readonly DatabaseRow[]): EntryChanges {
  return new Map(rows.map(({ id, text }) => [String(id), text === null ? undefined : String(text)]));
}
