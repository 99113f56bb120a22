// A response while it is generated and afterwards: its events, which can be read again, and its input.

import { createDeferred } from '../../../../../base/deferred.ts';
import type { InputItem } from '../request/input-items.ts';
import type { ResponseEvent } from '../response/events-schema.ts';
import type { ResponseBody } from '../response/response-schema.ts';
import { applyEvent, isLast } from '../response/run-response.ts';

export interface ResponseRecord {
  readonly id: string;
  /** The entire conversation before the output. */
  readonly input: readonly InputItem[];
  /** Before its first event. */
  readonly initial: ResponseBody;
  /** All so far. */
  events(): readonly ResponseEvent[];
  /** As of the last event. */
  response(): ResponseBody;
  isFinished(): boolean;
  append(event: ResponseEvent): void;
  /** Ends the record without a last event. */
  finish(): void;
  /** Events with higher numbers, until the response is finished. */
  follow(startingAfter: number): AsyncGenerator<ResponseEvent>;
  /** Cancels a response in the background. Absent: the response ends with its request. */
  readonly cancel?: () => void;
}

export interface RecordOptions {
  readonly initial: ResponseBody;
  readonly input: readonly InputItem[];
  readonly cancel?: () => void;
}

export function createRecord({ initial, input, cancel }: RecordOptions): ResponseRecord {
  // The number of an event is its index.
  const events: ResponseEvent[] = [];
  let response = initial;
  let finished = false;
  let changed = createDeferred<void>();

  const notify = (): void => {
    changed.resolve();
    changed = createDeferred();
  };

  return {
    id: initial.id,
    input,
    initial,
    events: () => events,
    response: () => response,
    isFinished: () => finished,
    append(event) {
      events.push(event);
      response = applyEvent(response, event);
      finished ||= isLast(event);
      notify();
    },
    finish() {
      finished = true;
      notify();
    },
    async *follow(startingAfter) {
      let index = startingAfter + 1;
      for (;;) {
        for (; index < events.length; index++) yield events[index] as ResponseEvent;
        if (finished) return;
        await changed.promise;
      }
    },
    cancel,
  };
}
