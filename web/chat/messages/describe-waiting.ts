// What an answer waits for, as a text.

import type { QueuePlace } from '../../api/answer-api.ts';

interface Waiting {
  /** Whether the model is being loaded. */
  readonly isLoading: boolean;
  /** undefined: the request is not in a queue, as far as the page knows. */
  readonly place: QueuePlace | undefined;
  readonly promptShare: number | undefined;
}

export function describeWaiting({ isLoading, place, promptShare }: Waiting): string {
  if (promptShare !== undefined) return `Reading the prompt: ${Math.floor(100 * promptShare)}%`;
  // Requests wait in the queue of a model until it is loaded.
  if (isLoading || place?.isLoading) return 'Loading the model';
  return place === undefined
    ? 'Waiting for the first token'
    : `Waiting in the queue, ${place.position} of ${place.length}`;
}
