import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createVirtualScreen } from '../../../test/support/terminal/virtual-screen.ts';
import { createSpinner } from './spinner.ts';

function open() {
  const screen = createVirtualScreen({ columns: 40, rows: 5 });
  const clock = createFakeClock();
  return { screen, clock, spinner: createSpinner(screen, clock) };
}

test('appears after a delay, is animated, and is removed', () => {
  const { screen, clock, spinner } = open();
  spinner.start();
  expect(screen.text()).toBe('');
  clock.advance(100);
  expect(screen.text()).toBe('⠋');
  clock.advance(200);
  expect(screen.text()).toBe('⠹');
  spinner.stop();
  clock.advance(1000);
  expect(screen.text()).toBe('');
  screen.write('answer');
  spinner.stop();
  expect(screen.text()).toBe('answer');
});

test('says how much of a long prompt was read', () => {
  const { screen, clock, spinner } = open();
  spinner.start();
  spinner.showProgress({ evaluated: 119, total: 200 });
  clock.advance(100);
  expect(screen.text()).toBe('⠋ Reading the prompt, 59%');
  spinner.stop();
});

test('does not appear if it is stopped before the delay', () => {
  const { screen, clock, spinner } = open();
  spinner.start();
  spinner.stop();
  clock.advance(1000);
  expect(screen.cursor()).toEqual({ row: 0, column: 0 });
});
