// Lines on a terminal that are drawn again in place: one write a frame, each line written over itself, so that nothing
// flickers.

import { widthOf } from '../output/fit-text.ts';
import type { Screen } from '../terminal.ts';

export interface Redrawer {
  draw(lines: readonly string[]): void;
  /** Draws once more, all of it, and lets go. */
  finish(lines: readonly string[]): void;
}

const clearRestOfLine = '\u001b[K';
const clearBelow = '\u001b[J';
// Terminals that know these show a frame when it is whole; others ignore them.
const beginFrame = '\u001b[?2026h';
const endFrame = '\u001b[?2026l';

export function createRedrawer(screen: Screen): Redrawer {
  let shown: readonly string[] = [];

  const write = (lines: readonly string[]): void => {
    const width = screen.width();
    // A window that has become narrower has wrapped what stood on it.
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0);
    const up = rows === 0 ? '\r' : `\r\u001b[${rows}A`;
    screen.write(
      `${beginFrame}${up}${lines.map((line) => `${line}${clearRestOfLine}\n`).join('')}${clearBelow}${endFrame}`,
    );
    shown = lines;
  };

  return {
    draw(lines) {
      // What has scrolled away can no longer be drawn over: the last lines are the ones that move.
      const visible = lines.slice(-Math.max(1, screen.height() - 1));
      if (visible.length !== shown.length || visible.some((line, index) => line !== shown[index])) write(visible);
    },
    finish: (lines) => write(lines),
  };
}
