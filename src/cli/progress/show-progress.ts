// Shows the progress of a long operation: redrawn in place on a terminal, line by line otherwise.

import type { Clock, Timer } from '../../base/time/clock.ts';
import type { ProgressResponseBody } from '../../server/dialects/ollama/transfer/progress-schema.ts';
import type { Screen } from '../terminal.ts';
import { drawProgress, frameTimeMs } from './draw-progress.ts';
import { createPlainLines } from './plain-progress.ts';
import { applyStatus, beginProgress, endProgress, type ProgressStatus } from './progress-state.ts';
import { createRedrawer } from './redrawer.ts';

export interface ProgressDisplay {
  update(status: ProgressStatus): void;
  /** Leaves the last state on the screen. Further output follows below it. */
  end(): void;
}

interface ProgressOptions {
  readonly screen: Screen;
  readonly clock: Clock;
}

export function showProgress(options: ProgressOptions): ProgressDisplay {
  return options.screen.canRedraw ? showRedrawn(options) : showPlain(options);
}

function showRedrawn({ screen, clock }: ProgressOptions): ProgressDisplay {
  const redrawer = createRedrawer(screen);
  let state = beginProgress(clock.now());
  let timer: Timer | undefined;
  const draw = (): void => redrawer.draw(drawProgress(state, { width: screen.width(), now: clock.now() }));
  const tick = (): void => {
    draw();
    timer = clock.after(frameTimeMs, tick);
  };
  const stopListening = screen.onResize(draw);
  screen.setCursor(false);
  return {
    update(status) {
      state = applyStatus(state, status, clock.now());
      if (timer === undefined) tick();
    },
    end() {
      timer?.cancel();
      stopListening();
      state = endProgress(state);
      redrawer.finish(drawProgress(state, { width: screen.width(), now: clock.now() }));
      screen.setCursor(true);
    },
  };
}

function showPlain({ screen, clock }: ProgressOptions): ProgressDisplay {
  const plain = createPlainLines();
  let state = beginProgress(clock.now());
  return {
    update(status) {
      state = applyStatus(state, status, clock.now());
      for (const line of plain.next(state, clock.now())) screen.write(`${line}\n`);
    },
    end() {},
  };
}

/** Shows statuses until the stream ends. Restores the screen even if the stream fails. */
export async function followStatuses(
  statuses: AsyncIterable<ProgressResponseBody>,
  options: ProgressOptions,
): Promise<void> {
  const progress = showProgress(options);
  try {
    for await (const status of statuses) progress.update(status);
  } finally {
    progress.end();
  }
}
