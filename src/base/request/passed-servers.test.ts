import { expect, test } from 'vitest';
import { formatPassedServers, maxPassedServers, parsePassedServers } from './passed-servers.ts';

test('ids are read as they were written', () => {
  const ids = ['0123456789abcdef', 'b-2', 'c_3'];
  expect(parsePassedServers(formatPassedServers(ids))).toEqual(ids);
  expect(parsePassedServers('')).toEqual([]);
});

test.each(['a b', 'a\u0000', 'ä', 'x'.repeat(65), ' , ,'])('%j has no id', (header) => {
  expect(parsePassedServers(header)).toEqual([]);
});

test('what is not an id hides no other', () => {
  expect(parsePassedServers(`${'?,'.repeat(100)}a,,b`)).toEqual(['a', 'b']);
});

test('no more ids are kept than a request may pass', () => {
  expect(parsePassedServers('a,'.repeat(1000))).toHaveLength(maxPassedServers);
});
