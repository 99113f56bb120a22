import { expect, test } from 'vitest';
import { fileLimits, planAppend, planUsageRemovals, type UsageFile } from './usage-record.ts';

function file(day: string, number: number, bytes: number): UsageFile {
  return { name: `${day}-${number}`, day, number, bytes };
}

test('a day starts with file 1, and a full file is followed by the next', () => {
  const files = [file('2026-11-15', 3, 10), file('2026-11-16', 9, 99), file('2026-11-16', 10, 50)];
  expect(planAppend([], '2026-11-16', 100)).toBe('usage-2026-11-16-0001.jsonl');
  expect(planAppend(files, '2026-11-16', 100)).toBe('usage-2026-11-16-0010.jsonl');
  expect(planAppend(files, '2026-11-16', 50)).toBe('usage-2026-11-16-0011.jsonl');
  expect(planAppend(files, '2026-11-17', 100)).toBe('usage-2026-11-17-0001.jsonl');
});

test('the oldest files are removed, and only as many as necessary', () => {
  const files = [file('a', 1, 40), file('b', 1, 40), file('c', 1, 40)];
  const removed = (maxBytes: number) => planUsageRemovals(files, maxBytes).map(({ day }) => day);
  expect(removed(120)).toEqual([]);
  expect(removed(119)).toEqual(['a']);
  expect(removed(40)).toEqual(['a', 'b']);
  expect(removed(0)).toEqual(['a', 'b', 'c']);
  expect(planUsageRemovals([], 0)).toEqual([]);
});

test('the number of files is limited too', () => {
  const files = Array.from({ length: fileLimits.files + 2 }, (_, day) => file(String(day), 1, 1));
  expect(planUsageRemovals(files, 2 ** 30).map(({ day }) => day)).toEqual(['0', '1']);
});
