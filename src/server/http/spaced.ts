// A little time between the objects of an answer. Some clients take what one read of the network gives them for one
// object; two that come at once, as the last words and the end often do, they cannot read. Measured with fetch on two
// busy cores, streams with two objects in one read: 11 of 120 without a pause, 7 of 120 with a millisecond, 1 of 240 with
// five. A reader that gets no time for longer than that still finds two.

import type { Clock } from '../../base/time/clock.ts';

// Milliseconds. Words come further apart than this by themselves, so it is mostly the end of an answer that waits.
const minGap = 5;

export async function* spaced<T>(objects: AsyncIterable<T>, clock: Clock): AsyncGenerator<T> {
  let gap: Promise<void> | undefined;
  for await (const object of objects) {
    await gap;
    yield object;
    gap = new Promise((resolve) => {
      clock.after(minGap, resolve);
    });
  }
}
