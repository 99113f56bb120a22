import { expect, test } from 'vitest';
import { fitText } from '../../inference/model/load-fit.ts';
import { catalogue, searchCatalogue } from './catalogue.ts';
import { createDescribeFamily } from './describe-family.ts';
import { formatCatalogue } from './feature.ts';

test.each([
  [{ verdict: 'gpu' }, 'fits the GPU'],
  [{ verdict: 'layers', layers: { onGpus: 40, total: 48 } }, 'fits with 40 of 48 layers'],
  [{ verdict: 'layers' }, 'fits partly on the GPU'],
  [{ verdict: 'memory' }, 'fits in memory'],
  [{ verdict: 'slow' }, 'slow'],
  [{ verdict: 'no' }, 'does not fit'],
] as const)('%j is "%s"', (fit, text) => {
  expect(fitText(fit)).toBe(text);
});

test('the table has a row for each size, and what all sizes share once', async () => {
  const describe = createDescribeFamily(async ({ bytes }) => ({ verdict: bytes > 1.5e9 ? 'no' : 'memory' }));
  const models = await Promise.all(searchCatalogue('llama3.2 small').map(describe));
  expect(formatCatalogue({ date: '', models })).toBe(
    [
      'NAME           SIZE      FIT               ABILITIES    LICENSE      GOOD FOR',
      'llama3.2:1b    1.3 GB    fits in memory    tools        Llama 3.2    Chat and summaries on small machines',
      'llama3.2:3b    2 GB      does not fit',
      '',
    ].join('\n'),
  );
});

test('only embedding models are estimated as such', async () => {
  const asked: boolean[] = [];
  const describe = createDescribeFamily(async ({ embedsOnly }) => {
    asked.push(embedsOnly);
    return { verdict: 'memory' };
  });
  await Promise.all(catalogue.filter(({ name }) => name === 'bge-m3' || name === 'qwq').map(describe));
  expect(asked.toSorted()).toEqual([false, true]);
});
