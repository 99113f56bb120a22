// Detects clients that do not read their response. Everything that is written must reach the client within a time that
// depends on its size; one byte now and then is not enough.

import type { Socket } from 'node:net';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';

interface WatchReaderOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly onStall: () => void;
}

// Bytes per millisecond that a client must read in addition to the timeoutMs: a large response is one write.
const minRate = 256;
const checksPerTimeout = 4;

/** Returns a function that ends the watch. */
export function watchReader(socket: Socket, { clock, timeoutMs, onStall }: WatchReaderOptions): () => void {
  const now = (): number => clock.monotonic() / nanosecondsPerMillisecond;
  const setGoal = () => ({ bytes: socket.bytesWritten, due: now() + timeoutMs + socket.writableLength / minRate });
  let goal = setGoal();
  const check = (): void => {
    if (socket.bytesWritten - socket.writableLength >= goal.bytes) goal = setGoal();
    if (now() < goal.due) timer = clock.after(timeoutMs / checksPerTimeout, check);
    else onStall();
  };
  let timer = clock.after(timeoutMs / checksPerTimeout, check);
  return () => timer.cancel();
}
