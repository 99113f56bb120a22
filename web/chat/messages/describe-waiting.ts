// What an answer waits for, as a text.

import type { QueuePlace } from '../../api/answer-api.ts';
import { t } from '../../language/language.ts';
import { formatShare } from '../../ui/format.ts';

interface Waiting {
  /** Whether the model is being loaded. */
  readonly isLoading: boolean;
  /** undefined: the request is not in a queue, as far as the page knows. */
  readonly place: QueuePlace | undefined;
  readonly promptShare: number | undefined;
}

export function describeWaiting({ isLoading, place, promptShare }: Waiting): string {
  if (promptShare !== undefined)
    return t('Reading the prompt: {share}', { share: formatShare(Math.floor(100 * promptShare) / 100) });
  // Requests wait in the queue of a model until it is loaded.
  if (isLoading || place?.isLoading) return t('Loading the model');
  return place === undefined
    ? t('Waiting for the first token')
    : t('Waiting in the queue, {position} of {length}', { position: place.position, length: place.length });
}
