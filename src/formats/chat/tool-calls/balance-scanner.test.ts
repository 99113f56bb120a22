import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBalanceScanner, jsonSyntax, maxDepth, pythonSyntax } from './balance-scanner.ts';

const scanJson = (text: string) => createBalanceScanner(jsonSyntax, '}').read(text, 0);
const scanPython = (text: string) => createBalanceScanner(pythonSyntax, ')').read(text, 0);

test('the end of every JSON object', () => {
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
])('fails at the first invalid character: %j', (text, end) => {
  expect(scanJson(text)).toEqual({ state: 'broken', end });
});

test('Python-style arguments', () => {
  expect(scanPython(`city='Pa)ris', x=[{"a": ")"}])`)).toMatchObject({ state: 'complete' });
  expect(scanPython('x=(1)')).toEqual({ state: 'broken', end: 2 });
});

test('continues with the next piece', () => {
  const scanner = createBalanceScanner(jsonSyntax, '}');
  expect(scanner.read('"a\\', 0).state).toBe('open');
  expect(scanner.read('"}', 0).state).toBe('open');
  expect(scanner.read('":1}', 0)).toEqual({ state: 'complete', end: 4 });
});

test('depth is bounded', () => {
  expect(scanJson('['.repeat(maxDepth - 1)).state).toBe('open');
  expect(scanJson('['.repeat(maxDepth))).toEqual({ state: 'broken', end: maxDepth - 1 });
});
