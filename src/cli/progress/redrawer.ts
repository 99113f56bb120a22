// Redraws lines in place on a terminal. Each frame is a single write that overwrites the lines, to avoid flicker.

import { widthOf } from '../output/fit-text.ts';
import type { Screen } from '../terminal.ts';

const clearRestOfLine = '\u001b[K';
const clearBelow = '\u001b[J';
// Synchronized output: supporting terminals show a frame only when it is complete, others ignore it.
const beginFrame = '\u001b[?2026h';
const endFrame = '\u001b[?2026l';

export function createRedrawer(screen: Screen) {
  let shown: readonly string[] = [];

  const write = (lines: readonly string[]): void => {
    const width = screen.width();
    // A window that became narrower has wrapped the previous lines.
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0);
    const up = rows === 0 ? '\r' : `\r\u001b[${rows}A`;
    screen.write(
      `${beginFrame}${up}${lines.map((line) => `${line}${clearRestOfLine}\n`).join('')}${clearBelow}${endFrame}`,
    );
    shown = lines;
  };

  return {
    draw(lines: readonly string[]): void {
      // Lines that have scrolled off the screen cannot be overwritten, so only the last ones are drawn.
      const visible = lines.slice(-Math.max(1, screen.height() - 1));
      if (visible.length !== shown.length || visible.some((line, index) => line !== shown[index])) write(visible);
    },
    /** Draws all lines a last time. */
    finish: (lines: readonly string[]): void => write(lines),
  };
}
