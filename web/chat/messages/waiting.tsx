// What the server does before the first token of an answer.

import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { type QueuePlace, readPlace } from '../../api/answer-api.ts';
import { useModels } from '../../api/models.ts';
import type { Answer } from '../../conversation/answer.ts';
import { t } from '../../language/language.ts';
import { describeWaiting } from './describe-waiting.ts';

/** Most answers begin before the server is asked. */
const intervalMs = 1000;

interface WaitingLineProps {
  readonly model: string;
  /** Undefined as long as the server does not have it. */
  readonly request: string | undefined;
  readonly answer: ReadonlySignal<Answer>;
}

export function WaitingLine({ model, request, answer }: WaitingLineProps) {
  const models = useModels();
  const [place, setPlace] = useState<QueuePlace | undefined>(undefined);
  useEffect(() => {
    if (request === undefined) return;
    const read = (): void => void readPlace(request).then(setPlace, () => {});
    const timer = setInterval(read, intervalMs);
    return () => clearInterval(timer);
  }, [request]);
  const isLoading = models.find(model)?.state === 'loading';
  return <p class="waiting">{describeWaiting({ isLoading, place, promptShare: answer.value.promptShare })}</p>;
}

/** Shown in an answer whose connection is lost. */
export function LostLine({ onReconnect }: { readonly onReconnect: () => void }) {
  return (
    <p class="lost" role="status">
      {t('Connection lost, trying again.')}
      <button type="button" class="button" onClick={onReconnect}>
        {t('Try now')}
      </button>
    </p>
  );
}
