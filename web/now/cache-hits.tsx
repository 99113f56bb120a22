// How much of the prompts the prefix cache provided in the last minutes.

import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';
import { formatCount } from '../conversation/statistics.ts';
import { Meter } from './meter.tsx';
import { sumPrompts } from './speeds.ts';

export function CacheHits({ activity }: { readonly activity: ActivityResponseBody }) {
  const { prompt, cached } = sumPrompts(activity.intervals);
  const share = prompt === 0 ? 0 : cached / prompt;
  return (
    <section class="card" aria-labelledby="cache-title">
      <h3 id="cache-title">Prefix cache</h3>
      <p class="figure">
        <strong>{prompt === 0 ? '–' : `${Math.round(100 * share)} %`}</strong> of prompts reused
      </p>
      <Meter label={`${Math.round(100 * share)} % of the prompt tokens were reused`} share={share} />
      <p class="quiet">
        {formatCount(cached)} of {formatCount(prompt)} prompt tokens in the last minutes
      </p>
    </section>
  );
}
