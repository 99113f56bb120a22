// A spinner on the line where the answer will start.

import type { Clock, Timer } from '../../base/time/clock.ts';
import type { Screen } from '../terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const interval = 100;

/** The spinner appears after a delay, so that a fast answer does not show it. */
export function createSpinner(screen: Screen, clock: Clock) {
  let timer: Timer | undefined;
  let shown = false;
  let frame = 0;
  let note = '';

  function drawFrame(): void {
    screen.write(`\r${frames[frame % frames.length]} ${note}\x1b[K`);
    shown = true;
    frame++;
    timer = clock.after(interval, drawFrame);
  }

  return {
    start(): void {
      if (screen.canRedraw && timer === undefined) timer = clock.after(interval, drawFrame);
    },
    /** Shows how much of the prompt the model has read. */
    showProgress({ evaluated, total }: { readonly evaluated: number; readonly total: number }): void {
      note = `Reading the prompt, ${Math.floor((evaluated / total) * 100)}%`;
    },
    /** Removes the spinner, if it is shown. */
    stop(): void {
      timer?.cancel();
      timer = undefined;
      if (shown) screen.write('\r\x1b[K');
      shown = false;
    },
  };
}
