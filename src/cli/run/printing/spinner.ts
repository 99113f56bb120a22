// Something that moves while nothing else does: on the line where the answer will begin.

import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { Screen } from '../../terminal.ts';

export interface Spinner {
  start(): void;
  /** Takes it off the screen; nothing happens when it is not there. */
  stop(): void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const interval = 100;

/** It begins after a moment: what comes at once needs none. */
export function createSpinner(screen: Screen, clock: Clock): Spinner {
  let timer: Timer | undefined;
  let shown = false;
  let frame = 0;

  function turn(): void {
    screen.write(`\r${frames[frame % frames.length]} \x1b[K`);
    shown = true;
    frame++;
    timer = clock.after(interval, turn);
  }

  return {
    start() {
      if (screen.canRedraw && timer === undefined) timer = clock.after(interval, turn);
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      if (shown) screen.write('\r\x1b[K');
      shown = false;
    },
  };
}
