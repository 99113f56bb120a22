import { expect, test } from 'vitest';
import { createCalendar } from './strftime.ts';

test('shortly after midnight in a given time zone', () => {
  const calendar = createCalendar(Date.UTC(2026, 1, 28, 23, 5, 9), 'Europe/Vienna');
  expect(calendar).toMatchObject({ Y: '2026', y: '26', m: '03', d: '01', H: '00', M: '05', S: '09', I: '12', p: 'AM' });
  expect(calendar).toMatchObject({ B: 'March', b: 'Mar', A: 'Sunday', a: 'Sun', F: '2026-03-01', T: '00:05:09' });
});
