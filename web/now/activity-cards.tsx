// The tokens of the last minutes: the speed of answers, and how much of the prompts the prefix cache provided.

import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';
import { elements, t } from '../language/language.ts';
import { formatShare, formatSpeed } from '../ui/format.ts';
import { areaPath, linePath, roundUp } from './chart.ts';
import { MeterBar } from './meter.tsx';
import { sumPrompts, toSpeeds } from './speeds.ts';

/** The drawing is stretched to the width of its card. */
const size = { width: 300, height: 72 };

export function SpeedChart({ activity }: { readonly activity: ActivityResponseBody }) {
  const speeds = toSpeeds(activity);
  const last = speeds.at(-1) ?? 0;
  const highest = Math.max(...speeds);
  const max = roundUp(highest);
  const minutes = Math.round((speeds.length * activity.interval_ms) / 60_000);
  const label = t('Tokens per second in the last {minutes} minutes: at most {highest}, now {last}', {
    minutes,
    highest: formatSpeed(highest),
    last: formatSpeed(last),
  });
  return (
    <section class="card speed" aria-labelledby="speed-title">
      <h2 id="speed-title">{t('Speed')}</h2>
      <p class="figure">{elements('{count} tokens/s', { count: <strong>{formatSpeed(last)}</strong> })}</p>
      <figure>
        <svg
          viewBox={`0 0 ${size.width} ${size.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
          class="chart"
        >
          <path class="area" d={areaPath(speeds, max, size)} />
          <path class="line" d={linePath(speeds, max, size)} />
        </svg>
        <figcaption aria-hidden="true">
          <span>{t('{minutes} min ago', { minutes })}</span>
          <span>{t('scale to {max}', { max: formatSpeed(max) })}</span>
          <span>{t('now')}</span>
        </figcaption>
      </figure>
    </section>
  );
}

export function CacheHits({ activity }: { readonly activity: ActivityResponseBody }) {
  const { prompt, cached } = sumPrompts(activity.intervals);
  const share = prompt === 0 ? 0 : cached / prompt;
  return (
    <section class="card" aria-labelledby="cache-title">
      <h2 id="cache-title">{t('Prefix cache')}</h2>
      <p class="figure">
        {elements('{share} of prompts reused', {
          share: <strong>{prompt === 0 ? '–' : formatShare(share)}</strong>,
        })}
      </p>
      <MeterBar label={t('{share} of prompt tokens were reused', { share: formatShare(share) })} share={share} />
      <p class="quiet">{t('{cached} of {total} prompt tokens in the last minutes', { cached, total: prompt })}</p>
    </section>
  );
}
