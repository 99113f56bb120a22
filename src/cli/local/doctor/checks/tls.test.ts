import { expect, test } from 'vitest';
import { judgeTls } from './tls.ts';

test('no certificate and a good one are ok', () => {
  expect(judgeTls({ used: false })).toEqual([{ status: 'ok', text: 'not used' }]);
  expect(judgeTls({ used: true, warnings: [] })).toMatchObject([{ status: 'ok' }]);
});

test('a certificate that expires soon is a warning, one that cannot be used is a problem', () => {
  expect(judgeTls({ used: true, warnings: ['it expires in 3 days'] })).toMatchObject([
    { status: 'warning', text: 'it expires in 3 days' },
  ]);
  expect(judgeTls({ used: true, warnings: [], failure: 'cannot read /key' })).toMatchObject([
    { status: 'problem', text: 'cannot read /key' },
  ]);
});
