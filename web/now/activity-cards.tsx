// The tokens of the last minutes: the speed of answers, and how much of the prompts the prefix cache provided.

import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';
import { formatCount } from '../ui/format.ts';
import { areaPath, linePath, roundUp } from './chart.ts';
import { MeterBar } from './meter.tsx';
import { formatSpeed, sumPrompts, toSpeeds } from './speeds.ts';

/** The drawing is stretched to the width of its card. */
const size = { width: 300, height: 72 };

export function SpeedChart({ activity }: { readonly activity: ActivityResponseBody }) {
  const speeds = toSpeeds(activity);
  const last = speeds.at(-1) ?? 0;
  const highest = Math.max(...speeds);
  const max = roundUp(highest);
  const minutes = Math.round((speeds.length * activity.interval_ms) / 60_000);
  const label = `Tokens per second in the last ${minutes} minutes: at most ${formatSpeed(highest)}, now ${formatSpeed(last)}`;
  return (
    <section class="card speed" aria-labelledby="speed-title">
      <h2 id="speed-title">Speed</h2>
      <p class="figure">
        <strong>{formatSpeed(last)}</strong> tokens/s
      </p>
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
          <span>{minutes} min ago</span>
          <span>scale to {formatSpeed(max)}</span>
          <span>now</span>
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
      <h2 id="cache-title">Prefix cache</h2>
      <p class="figure">
        <strong>{prompt === 0 ? '–' : `${Math.round(100 * share)}%`}</strong> of prompts reused
      </p>
      <MeterBar label={`${Math.round(100 * share)}% of prompt tokens were reused`} share={share} />
      <p class="quiet">
        {formatCount(cached)} of {formatCount(prompt)} prompt tokens in the last minutes
      </p>
    </section>
  );
}
