// Running requests, and those that wait for them. Users can cancel their own, administrators all.

import { t } from '../language/language.ts';
import { formatRunTime, formatSpeed, shownName } from '../ui/format.ts';
import { IconButton } from '../ui/icon.tsx';
import type { ActiveRequest, Status } from './now-data.ts';
import { toRequestSpeeds } from './speeds.ts';

export function RequestList({
  status,
  onCancel,
}: {
  readonly status: Status;
  readonly onCancel: (id: string) => void;
}) {
  const { requests, time } = status.activity;
  const speeds = toRequestSpeeds(status.activity, status.previous);
  const waiting = requests.filter(({ state }) => state === 'waiting').length;
  const heading = waiting === 0 ? t('Requests') : t('Requests, {count} waiting', { count: waiting });
  // Running ones first, then the queues.
  const sorted = [...requests].sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  return (
    <section aria-labelledby="requests-title">
      <h2 id="requests-title">{heading}</h2>
      {requests.length === 0 ? <p class="quiet">{t('None.')}</p> : null}
      <ul class="request-rows" aria-labelledby="requests-title">
        {sorted.map((request, index) => {
          const { id, model, endpoint, key, since, position } = request;
          return (
            <li key={id ?? index} class="request-row">
              <span class={position === undefined ? 'badge running' : 'badge'}>
                {position === undefined ? t('running') : t('waiting #{position}', { position })}
              </span>
              <span class="request-title">
                {shownName(model)} <span class="quiet">{[endpoint, key].filter(Boolean).join(' · ')}</span>
              </span>
              <span class="quiet">{describeProgress(request, speeds.get(id ?? ''))}</span>
              <span class="quiet">{formatRunTime(since, time)}</span>
              {id === undefined ? (
                <span />
              ) : (
                <IconButton
                  icon="close"
                  label={t('Cancel the request for {model}', { model })}
                  onClick={() => onCancel(id)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function describeProgress(
  { position, prompt_tokens: prompt, generated_tokens: generated }: ActiveRequest,
  speed: number | undefined,
): string {
  if (position !== undefined) return '';
  return [
    t('prompt {count}', { count: prompt }),
    t('answer {count}', { count: generated }),
    ...(speed === undefined ? [] : [t('{count} tokens/s', { count: formatSpeed(speed) })]),
  ].join(' · ');
}
