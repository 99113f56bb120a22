// How fast a transfer is, smoothed over some seconds so that the number can be read, and sinking when nothing comes.

export interface TransferSpeed {
  /** When the bytes were last counted, in milliseconds. */
  readonly at: number;
  readonly bytes: number;
  /** Bytes a second; undefined until something was measured. */
  readonly rate: number | undefined;
}

// Milliseconds.
const sampleEvery = 250;
const memory = 3000;
const quietAfter = 1000;

/** What was there before counts for nothing: a resumed transfer begins with many bytes. */
export function beginSpeed(bytes: number, at: number): TransferSpeed {
  return { at, bytes, rate: undefined };
}

export function measureSpeed(speed: TransferSpeed, bytes: number, now: number): TransferSpeed {
  const elapsed = now - speed.at;
  if (elapsed < sampleEvery) return speed;
  const latest = (Math.max(0, bytes - speed.bytes) / elapsed) * 1000;
  const weight = 1 - Math.exp(-elapsed / memory);
  return { at: now, bytes, rate: speed.rate === undefined ? latest : speed.rate + weight * (latest - speed.rate) };
}

/** Bytes a second as of now; undefined when there is nothing worth telling. */
export function rateAt({ at, rate }: TransferSpeed, now: number): number | undefined {
  if (rate === undefined) return undefined;
  const quiet = Math.max(0, now - at - quietAfter);
  const current = rate * Math.exp(-quiet / memory);
  return current < 1 ? undefined : current;
}
