// Records the events of a response while they are sent.

import { pipe } from '../../../../../base/pipe.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import { isLast } from '../response/run-response.ts';
import type { RecordOptions } from './response-record.ts';
import type { ResponseOwner, ResponseStore } from './response-store.ts';

/** Records the events. If servers share their state, the last event is passed on when the others have the response. */
export function recordAndPublish(
  events: AsyncIterable<ResponseEvent>,
  store: ResponseStore,
  options: RecordOptions & ResponseOwner,
): AsyncGenerator<ResponseEvent> {
  const recorded = recordEvents(events, store, options);
  return store.isShared ? publish(recorded, store, options.initial) : recorded;
}

/** Other servers follow a response in the background from its beginning. */
async function* publish(
  events: AsyncIterable<ResponseEvent>,
  store: Pick<ResponseStore, 'publish' | 'announce'>,
  { id, background }: RecordOptions['initial'],
): AsyncGenerator<ResponseEvent> {
  let copy: Awaited<ReturnType<ResponseStore['announce']>>;
  try {
    for await (const event of events) {
      if (background && event.sequence_number === 0) copy = await store.announce(id);
      if (isLast(event)) await store.publish(id);
      copy?.append(event);
      yield event;
    }
  } finally {
    copy?.end();
  }
}

/** The record is created with the first event: a refused request leaves none. A response that does not fit is not stored. */
function recordEvents(
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
