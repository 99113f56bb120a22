// The clock: certificates and the tokens of registries are not accepted if it is wrong.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import { formatSpan } from '../../../output/format.ts';
import { type CheckFinding, defineCheck, ok, problem, warning } from '../check.ts';

/** All in milliseconds since the epoch. */
export interface ClockFacts {
  readonly now: number;
  /** When Hearth was installed. */
  readonly installed: number;
  /** The time of the registry. Absent: it is not reachable. */
  readonly elsewhere?: number;
}

// Milliseconds.
const tolerance = 120_000;
const day = 86_400_000;

export const clockCheck = defineCheck<ClockFacts>({
  name: 'clock',
  timeLimit: 15_000,
  async gather({ clock, packageFolder, askRegistry }) {
    const { mtimeMs: installed } = await stat(join(packageFolder, 'package.json'));
    const { date } = await askRegistry();
    return { now: clock.now(), installed, ...(date === undefined ? {} : { elsewhere: date }) };
  },
  judge: judgeClock,
});

export function judgeClock({ now, installed, elsewhere }: ClockFacts): CheckFinding[] {
  const nextStep = 'set the clock, for example with `timedatectl set-ntp true`';
  const time = formatTimestamp(now);
  if (elsewhere !== undefined && Math.abs(now - elsewhere) > tolerance) {
    const direction = now < elsewhere ? 'slow' : 'fast';
    return [warning(`${time} is ${formatSpan(Math.abs(now - elsewhere)).toLowerCase()} ${direction}`, nextStep)];
  }
  if (now < installed - day) return [problem(`${time} is before the installation of Hearth`, nextStep)];
  return [ok(elsewhere === undefined ? `${time}, not compared with another clock` : `${time}, as the registry says`)];
}
