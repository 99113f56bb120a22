// What the server does before the first token of an answer.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { findModel } from '../../api/models.ts';
import { type QueuePlace, readPlace } from '../../api/queue.ts';

// Milliseconds. Most answers begin before the server is asked.
const interval = 1000;

interface WaitingProps {
  readonly model: string;
  /** undefined: the server does not have it yet. */
  readonly request: string | undefined;
}

export function Waiting({ model, request }: WaitingProps) {
  const place = useSignal<QueuePlace | undefined>(undefined);
  useEffect(() => {
    if (request === undefined) return;
    const read = (): void => {
      readPlace(request).then(
        (found) => {
          place.value = found;
        },
        () => {},
      );
    };
    const timer = setInterval(read, interval);
    return () => clearInterval(timer);
  }, [request]);
  return <p class="waiting">{describe(model, place.value)}</p>;
}

function describe(model: string, place: QueuePlace | undefined): string {
  if (place !== undefined) return `Waiting in the queue, ${place.position} of ${place.length}`;
  return findModel(model)?.state === 'loading' ? 'Loading the model' : 'Waiting for the first token';
}
