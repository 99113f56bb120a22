// Quotas in the database. What a server reserves expires when the server does not renew it, as after a kill.

import type { QuotaLedger } from '../../base/state/shared-state.ts';
import type { Query } from './database.ts';

const lease = '60 seconds';

/** `server`: unique for this process. */
export function createQuotaLedger(query: Query, server: string): QuotaLedger {
  const numberOf = async (text: string, values: readonly unknown[]): Promise<number> => {
    const [row] = await query(text, values);
    return Number(row?.['result']);
  };
  return {
    takeRequest: (key, perMinute) => numberOf('SELECT hearth.take_request($1, $2) AS result', [key, perMinute]),
    async reserve({ id, key, limit, tokens }) {
      const values = [id, key, limit, tokens, lease];
      const granted = await numberOf('SELECT hearth.reserve($1, $2, $3, $4, $5) AS result', values);
      return granted === -1 ? 'used' : granted === -2 ? 'reserved' : granted;
    },
    extend: ({ id, key, limit, tokens }) =>
      numberOf('SELECT hearth.extend($1, $2, $3, $4, $5) AS result', [id, key, limit, tokens, lease]),
    async settle(settlements, number) {
      const columns = [
        settlements.map(({ id }) => id),
        settlements.map(({ key }) => key),
        settlements.map(({ used }) => used),
        settlements.map(({ isOver }) => isOver),
      ];
      await query('SELECT hearth.settle($1, $2, $3, $4, $5, $6, $7)', [server, number, ...columns, lease]);
    },
    tokensToday: (key) =>
      numberOf(
        'SELECT coalesce(max(used), 0) AS result FROM hearth.tokens_of_day WHERE key = $1 AND day = hearth.today()',
        [key],
      ),
  };
}
