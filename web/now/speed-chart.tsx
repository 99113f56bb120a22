// The tokens per second of the last minutes.

import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';
import { areaPath, linePath, roundUp } from './chart.ts';
import { formatSpeed, toSpeeds } from './speeds.ts';

// Units of the drawing, which is stretched to the width of its card.
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
      <h3 id="speed-title">Speed</h3>
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
