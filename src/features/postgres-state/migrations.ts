// The tables, as steps from one version to the next. A step never changes after its release. One server at a time migrates;
// a database of a newer Hearth is refused.

import { badConfiguration } from '../../base/errors.ts';
import type { Database } from './database.ts';
import { documentsAndQuotas } from './tables/documents-and-quotas.ts';
import { entries } from './tables/entries.ts';
import { sessionsAndRecords } from './tables/sessions-and-records.ts';
import { streams } from './tables/streams.ts';
import { texts } from './tables/texts.ts';

const steps: readonly string[] = [documentsAndQuotas, sessionsAndRecords, texts, streams, entries];

// Any number that other programs in the same database do not use.
const migrationLock = 4_873_025_116;

/** Rejects with `bad_configuration` if the tables are of a newer version. */
export async function migrate(database: Database): Promise<void> {
  const found = await readVersion(database);
  if (found === steps.length) return;
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await query('CREATE SCHEMA IF NOT EXISTS hearth');
    await query('CREATE TABLE IF NOT EXISTS hearth.version (version integer PRIMARY KEY, at timestamptz NOT NULL)');
    const [row] = await query('SELECT coalesce(max(version), 0) AS version FROM hearth.version');
    const version = Number(row?.['version']);
    if (version > steps.length)
      throw badConfiguration(
        `the database of HEARTH_STATE has version ${version}, which a newer Hearth has written; this one knows ${steps.length}`,
      );
    for (const [index, step] of steps.entries()) {
      if (index < version) continue;
      await query(step);
      await query('INSERT INTO hearth.version VALUES ($1, now())', [index + 1]);
    }
  });
}

/** A user who may not create anything can use tables that are there. */
async function readVersion({ query }: Database): Promise<number> {
  const [known] = await query("SELECT to_regclass('hearth.version') IS NOT NULL AS exists");
  if (known?.['exists'] !== true) return 0;
  const [row] = await query('SELECT coalesce(max(version), 0) AS version FROM hearth.version');
  return Number(row?.['version']);
}
