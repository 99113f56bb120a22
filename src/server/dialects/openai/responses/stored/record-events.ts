// Records the events of a response while they are sent.

import { pipe } from '../../../../../base/pipe.ts';
import type { CallerKey } from '../../../../../base/request/caller-key.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import type { RecordOptions } from './response-record.ts';
import type { ResponseStore } from './response-store.ts';

/** The record is created with the first event: a refused request leaves none. A response that does not fit is not stored. */
export function recordEvents(
  events: AsyncIterable<ResponseEvent>,
  store: ResponseStore,
  { key, ...options }: RecordOptions & { readonly key: CallerKey | undefined },
): AsyncGenerator<ResponseEvent> {
  const { id } = options.initial;
  let record: ReturnType<ResponseStore['add']>;
  let isFirst = true;
  return pipe(events, {
    push(event: ResponseEvent, pass: (event: ResponseEvent) => void) {
      if (isFirst) record = store.add(options, key);
      isFirst = false;
      record?.append(event);
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
