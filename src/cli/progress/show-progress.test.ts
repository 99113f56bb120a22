import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { Screen } from '../terminal.ts';
import { followStatuses, showProgress } from './show-progress.ts';

interface FakeScreen extends Screen {
  readonly frames: string[];
  size: { width: number; height: number };
}

function createFakeScreen(canRedraw: boolean): FakeScreen {
  const frames: string[] = [];
  const size = { width: 40, height: 10 };
  return {
    frames,
    size,
    isTerminal: canRedraw,
    canRedraw,
    hasColors: false,
    width: () => size.width,
    height: () => size.height,
    write: (text) => void frames.push(text),
    setCursor: (visible) => void (canRedraw && frames.push(visible ? '<show>' : '<hide>')),
    onResize: () => () => {},
  };
}

/** Adds the escape sequences around a frame. */
const frame = (lines: string): string => `\u001b[?2026h${lines}\u001b[J\u001b[?2026l`;

test('a frame overwrites the previous one in a single write, only if something changed', () => {
  const screen = createFakeScreen(true);
  const clock = createFakeClock();
  const progress = showProgress({ screen, clock });
  progress.update({ status: 'pulling manifest' });
  clock.advance(100);
  progress.update({ status: 'x', digest: `sha256:${'0'.repeat(64)}`, total: 10, completed: 10 });
  clock.advance(1000);
  progress.end();
  expect(screen.frames).toEqual([
    '<hide>',
    frame('\rpulling manifest ⠋\u001b[K\n'),
    frame('\r\u001b[1Apulling manifest ⠙\u001b[K\n'),
    frame('\r\u001b[1Apulling manifest\u001b[K\n000000000000 100% ▕████▏ 10 B\u001b[K\n'),
    frame('\r\u001b[2Apulling manifest\u001b[K\n000000000000 100% ▕████▏ 10 B\u001b[K\n'),
    '<show>',
  ]);
  clock.advance(1000);
  expect(screen.frames).toHaveLength(6);
});

test('lines that a narrower window has wrapped are overwritten', () => {
  const screen = createFakeScreen(true);
  const clock = createFakeClock();
  const progress = showProgress({ screen, clock });
  progress.update({ status: 'reading model metadata' });
  screen.size.width = 20;
  clock.advance(100);
  // 24 columns of text take two rows of 20.
  expect(screen.frames.at(-1)).toContain('\r\u001b[2A');
});

test('with more lines than rows, only the last ones are drawn until the end, then all', () => {
  const screen = createFakeScreen(true);
  screen.size.height = 4;
  const progress = showProgress({ screen, clock: createFakeClock() });
  for (let index = 0; index < 6; index++) progress.update({ status: `step ${index}` });
  progress.end();
  expect(screen.frames.at(-2)?.match(/step \d/g)).toEqual([0, 1, 2, 3, 4, 5].map((index) => `step ${index}`));
});

test('without a terminal, plain lines and no cursor movement', () => {
  const screen = createFakeScreen(false);
  const progress = showProgress({ screen, clock: createFakeClock() });
  progress.update({ status: 'pulling manifest' });
  progress.update({ status: 'pulling manifest' });
  progress.update({ status: 'success' });
  progress.end();
  expect(screen.frames.join('')).toBe('pulling manifest\nsuccess\n');
});

test('a failure restores the screen', async () => {
  const screen = createFakeScreen(true);
  const statuses = async function* () {
    yield { status: 'pulling manifest' };
    throw new Error('no such model');
  };
  await expect(followStatuses(statuses(), { screen, clock: createFakeClock() })).rejects.toThrow('no such model');
  expect(screen.frames.at(-2)).toContain('pulling manifest\u001b[K\n');
  expect(screen.frames.at(-1)).toBe('<show>');
});
