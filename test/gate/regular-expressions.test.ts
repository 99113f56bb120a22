// Every regular expression in the sources takes linear time: requests, model files and registries can contain texts that
// are made to be slow.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expressionsIn, hostileTexts, isUnbounded } from '../support/regular-expressions.ts';
import { repository } from '../support/repository.ts';

/** Expressions that take longer for long texts, which they never get. */
const boundedInputs: Readonly<Record<string, string>> = {
  'inference/runner/load/memory-meter.ts': 'lines of at most 256 characters',
  'formats/chat/formats/written-text.ts': 'code in which every string is closed',
  'formats/go-template/printing/format-float.ts': '13 digits',
  'formats/chat/renderers/cogito.ts': 'JSON in which every string is closed',
  'formats/chat/renderers/go-text.ts': 'JSON in which every string is closed',
  'formats/chat/renderers/nemotron.ts': 'JSON in which every string is closed',
};

const factor = 8;
// Times of short texts end the measurement before cubic time would take minutes.
const lengths = [64, 512, 4096] as const;
// Linear time grows eight times and quadratic time 64 times. Small times vary.
const maxGrowth = 32;
const repetitions = 3;

function shortest(work: () => unknown): number {
  const times = Array.from({ length: repetitions }, () => {
    const begun = process.hrtime.bigint();
    work();
    return Number(process.hrtime.bigint() - begun);
  });
  return Math.min(...times);
}

/** The most that the time grows with the length of a text. */
function worstGrowth(expression: RegExp): number {
  let worst = 0;
  for (const length of lengths) {
    const long = hostileTexts(expression, factor * length);
    for (const [index, text] of hostileTexts(expression, length).entries()) {
      const run = (input: string) => shortest(() => input.replace(expression, ''));
      worst = Math.max(worst, run(long[index] as string) / Math.max(run(text), 1000));
      if (worst > maxGrowth) return worst;
    }
  }
  return worst;
}

const files = readdirSync(repository('src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
);
const all = files.flatMap((file) =>
  expressionsIn(repository(join('src', file))).map(({ line, expression }) => ({ file, line, expression })),
);
const unbounded = all.filter(({ file, expression }) => isUnbounded(expression) && !Object.hasOwn(boundedInputs, file));

test('the expressions are found', () => {
  expect(unbounded.length).toBeGreaterThan(50);
  for (const file of Object.keys(boundedInputs)) expect(all.map((found) => found.file)).toContain(file);
});

// Another process can take the processor during all repetitions of one measurement.
describe('linear time for hostile texts', { retry: 2 }, () => {
  test.each(unbounded)('$file:$line $expression', ({ expression }) => {
    expect(worstGrowth(expression)).toBeLessThan(maxGrowth);
  });
});

test.each([/\s+$/, /a*a*b/])('the measure finds %s', (expression) => {
  expect(worstGrowth(expression)).toBeGreaterThan(maxGrowth);
});
