import { expect, test } from 'vitest';
import { formatTable } from './table.ts';

const head = ['NAME', 'ID', 'SIZE', 'MODIFIED'];
const rows = [['ember-thinks:latest', '6a39dcde3d93', '26 MB', '23 minutes ago']];
const format = (width?: number): string[] =>
  formatTable(head, rows, { optional: ['ID', 'MODIFIED'], width })
    .trimEnd()
    .split('\n');

test.each([
  [undefined, 'ember-thinks:latest    6a39dcde3d93    26 MB    23 minutes ago'],
  [62, 'ember-thinks:latest    6a39dcde3d93    26 MB    23 minutes ago'],
  [61, 'ember-thinks:latest  6a39dcde3d93  26 MB  23 minutes ago'],
  [50, 'ember-thinks:latest  26 MB  23 minutes ago'],
  [40, 'ember-thinks:latest  26 MB'],
  [10, 'ember-thinks:latest  26 MB'],
])('at %s columns', (width, row) => {
  expect(format(width)[1]).toBe(row);
  expect(format(width)[0]?.split(/ +/)[0]).toBe('NAME');
});

test('without rows, only the head is printed', () => {
  expect(formatTable(head, [])).toBe('NAME    ID    SIZE    MODIFIED\n');
});
