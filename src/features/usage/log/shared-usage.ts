// The usage log in the state that several servers share: the same lines as in files.

import { requestCanceled } from '../../../base/errors.ts';
import type { RecordLog } from '../../../base/state/shared-state.ts';
import type { UsageHome } from './usage.ts';
import { formatRecord, parseRecord } from './usage-record.ts';

// A line with what a database needs for it.
const bytesPerRecord = 256;

export function createSharedUsage(records: RecordLog, maxBytes: number): UsageHome {
  return {
    where: 'shared state',
    keepsRecords: true,
    open: async () => {},
    append: (added) =>
      records.append(
        added.map(({ number, record }) => ({ number, time: record.time, text: formatRecord(record) })),
        Math.floor(maxBytes / bytesPerRecord),
      ),
    async *read(since, signal) {
      for await (const lines of records.read(since)) {
        if (signal.aborted) throw requestCanceled();
        yield lines.map((line) => parseRecord(line.trim())).filter((record) => record !== undefined);
      }
    },
    close: async () => {},
  };
}
