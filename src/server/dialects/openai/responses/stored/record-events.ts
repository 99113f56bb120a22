// Records the events of a response while they are sent.

import { pipe } from '../../../../../base/pipe.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import type { RecordOptions } from './response-record.ts';
import type { ResponseOwner, ResponseStore } from './response-store.ts';

/** The record is created with the first event: a refused request leaves none. A response that does not fit is not stored. */
export function recordEvents(
  events: AsyncIterable<ResponseEvent>,
  store: ResponseStore,
  { key, channel, ...options }: RecordOptions & ResponseOwner,
): AsyncGenerator<ResponseEvent> {
  const { id } = options.initial;
  let record: ReturnType<ResponseStore['add']>;
  let isFirst = true;
  return pipe(events, {
    push(event: ResponseEvent, pass: (event: ResponseEvent) => void) {
      if (isFirst) record = store.add(options, { key, channel });
      isFirst = false;
      record?.append(event);
      // A failed response cannot be continued on its connection.
      if (channel !== undefined && event.type === 'response.failed') store.remove(id);
      pass(event);
    },
    close() {
      if (record === undefined || record.isFinished()) return;
      // The client has disconnected, and nobody else knows the id.
      record.finish();
      store.remove(id);
    },
  });
}
