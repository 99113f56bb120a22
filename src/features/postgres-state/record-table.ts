// The usage log in the database, read in parts.

import type { RecordLog } from '../../base/state/shared-state.ts';
import type { Query } from './database.ts';

const partRecords = 2000;

/** `server`: unique for this process. */
export function createRecordTable(query: Query, server: string): RecordLog {
  return {
    async append(records, maxRecords) {
      await query(
        'INSERT INTO hearth.records (server, number, at, text) SELECT $1, number, to_timestamp(time / 1000), text FROM unnest($2::bigint[], $3::double precision[], $4::text[]) AS given(number, time, text) ON CONFLICT DO NOTHING',
        [server, records.map(({ number }) => number), records.map(({ time }) => time), records.map(({ text }) => text)],
      );
      await query('DELETE FROM hearth.records WHERE id <= (SELECT max(id) FROM hearth.records) - $1::bigint', [
        maxRecords,
      ]);
    },
    async *read(since) {
      const from = Number.isFinite(since) ? since : 0;
      for (let last = '0'; ; ) {
        const rows = await query(
          'SELECT id, text FROM hearth.records WHERE id > $1 AND at >= to_timestamp($2::double precision / 1000) ORDER BY id LIMIT $3',
          [last, from, partRecords],
        );
        if (rows.length === 0) return;
        last = String(rows.at(-1)?.['id']);
        yield rows.map(({ text }) => String(text));
      }
    },
  };
}
