// Speed of a transfer: smoothed over a few seconds so that it is readable, and decaying while no data arrives.

export interface TransferSpeed {
  /** The time of the last sample. */
  readonly at: number;
  readonly bytes: number;
  /** Bytes per second; undefined before the first sample. */
  readonly rate: number | undefined;
}

const sampleIntervalMs = 250;
const timeConstantMs = 3000;
const decayDelayMs = 1000;

/** The initial bytes do not count: a resumed transfer starts with many. */
export function beginSpeed(bytes: number, at: number): TransferSpeed {
  return { at, bytes, rate: undefined };
}

export function measureSpeed(speed: TransferSpeed, bytes: number, now: number): TransferSpeed {
  const elapsed = now - speed.at;
  if (elapsed < sampleIntervalMs) return speed;
  const latest = (Math.max(0, bytes - speed.bytes) / elapsed) * 1000;
  const weight = 1 - Math.exp(-elapsed / timeConstantMs);
  return { at: now, bytes, rate: speed.rate === undefined ? latest : speed.rate + weight * (latest - speed.rate) };
}

/** Current bytes per second; undefined if unknown or close to zero. */
export function rateAt({ at, rate }: TransferSpeed, now: number): number | undefined {
  if (rate === undefined) return undefined;
  const idle = Math.max(0, now - at - decayDelayMs);
  const current = rate * Math.exp(-idle / timeConstantMs);
  return current < 1 ? undefined : current;
}
