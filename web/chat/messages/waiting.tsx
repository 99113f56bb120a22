// What the server does before the first token of an answer.

import { useEffect, useState } from 'preact/hooks';
import { type QueuePlace, readPlace } from '../../api/answer-api.ts';
import { useModels } from '../../api/models.ts';

/** Most answers begin before the server is asked. */
const intervalMs = 1000;

/** `request` is undefined as long as the server does not have it. */
export function WaitingLine({ model, request }: { readonly model: string; readonly request: string | undefined }) {
  const models = useModels();
  const [place, setPlace] = useState<QueuePlace | undefined>(undefined);
  useEffect(() => {
    if (request === undefined) return;
    const read = (): void => void readPlace(request).then(setPlace, () => {});
    const timer = setInterval(read, intervalMs);
    return () => clearInterval(timer);
  }, [request]);
  const work = models.find(model)?.state === 'loading' ? 'Loading the model' : 'WaitingLine for the first token';
  const text = place === undefined ? work : `WaitingLine in the queue, ${place.position} of ${place.length}`;
  return <p class="waiting">{text}</p>;
}
