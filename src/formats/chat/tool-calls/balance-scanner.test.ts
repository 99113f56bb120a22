import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBalanceScanner, jsonDialect, maxDepth, pythonDialect } from './balance-scanner.ts';

const scanJson = (text: string) => createBalanceScanner(jsonDialect, '}').read(text, 0);
const scanPython = (text: string) => createBalanceScanner(pythonDialect, ')').read(text, 0);

test('every JSON object ends where it ends', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (value, rest) => {
      const text = JSON.stringify(value).slice(1);
      expect(scanJson(text + rest)).toEqual({ state: 'complete', end: text.length });
      expect(scanJson(text.slice(0, -1))).toEqual({ state: 'open', end: text.length - 1 });
    }),
  );
});

test.each([
  ['"a": <', 5],
  ['"a": [}', 6],
  ['"a\nb"}', 2],
  ["'a'", 0],
])('gives up where nothing can follow: %j', (text, end) => {
  expect(scanJson(text)).toEqual({ state: 'broken', end });
});

test('pythonic arguments', () => {
  expect(scanPython(`city='Pa)ris', x=[{"a": ")"}])`)).toMatchObject({ state: 'complete' });
  expect(scanPython('x=(1)')).toEqual({ state: 'broken', end: 2 });
});

test('goes on where it stopped', () => {
  const scanner = createBalanceScanner(jsonDialect, '}');
  expect(scanner.read('"a\\', 0).state).toBe('open');
  expect(scanner.read('"}', 0).state).toBe('open');
  expect(scanner.read('":1}', 0)).toEqual({ state: 'complete', end: 4 });
});

test('depth is bounded', () => {
  expect(scanJson('['.repeat(maxDepth - 1)).state).toBe('open');
  expect(scanJson('['.repeat(maxDepth))).toEqual({ state: 'broken', end: maxDepth - 1 });
});
