// Running requests, and those that wait for them. Users can cancel their own, administrators all.

import { formatCount, shownName } from '../ui/format.ts';
import { IconButton } from '../ui/icon.tsx';
import type { ActiveRequest, Status } from './now-data.ts';
import { formatRunTime, formatSpeed, toRequestSpeeds } from './speeds.ts';

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
  const heading = waiting === 0 ? 'Requests' : `Requests, ${waiting} waiting`;
  // Running ones first, then the queues.
  const sorted = [...requests].sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  return (
    <section aria-labelledby="requests-title">
      <h2 id="requests-title">{heading}</h2>
      {requests.length === 0 ? <p class="quiet">None.</p> : null}
      <ul class="request-rows" aria-labelledby="requests-title">
        {sorted.map((request, index) => {
          const { id, model, endpoint, key, since, position } = request;
          return (
            <li key={id ?? index} class="request-row">
              <span class={position === undefined ? 'badge running' : 'badge'}>
                {position === undefined ? 'running' : `waiting #${position}`}
              </span>
              <span class="request-title">
                {shownName(model)} <span class="quiet">{[endpoint, key].filter(Boolean).join(' · ')}</span>
              </span>
              <span class="quiet">{describeProgress(request, speeds.get(id ?? ''))}</span>
              <span class="quiet">{formatRunTime(since, time)}</span>
              {id === undefined ? (
                <span />
              ) : (
                <IconButton icon="close" label={`Cancel the request for ${model}`} onClick={() => onCancel(id)} />
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
  const rate = speed === undefined ? '' : ` · ${formatSpeed(speed)} tokens/s`;
  return `prompt ${formatCount(prompt)} · answer ${formatCount(generated)}${rate}`;
}
