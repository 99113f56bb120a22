// Figures in documents are those of the measurements; sums are computed from them.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { computeLoad, deriveFigures, loadTable, readFigures, writeFigures } from '../../scripts/reference/figures.mjs';
import { repository } from '../support/repository.ts';

const log = '# Log\n\n## 2026-01-02: new\n2,826 tokens, 0.865, 245 ms.\n\n## 2026-01-01: old\n1,665 tokens.\n';
const read = (figures: Record<string, string>) => readFigures({ '2026-01-02: new': figures }, log);

test('a figure must be in the section that it is said to come from', () => {
  expect(read({ a: '2,826', b: '0.865', c: '245 ms' }).get('b')).toBe('0.865');
  for (const text of ['1,665', '826', '2,82', '0.86', '45 ms'])
    expect(() => read({ a: text }), text).toThrow('does not have');
  expect(() => readFigures({ '2026-01-03: none': { a: '1' } }, log)).toThrow('no section');
});

test('a document gets the figure of today, with as many decimals as it asks for', () => {
  const figures = new Map([
    ['a.b', '2,826'],
    ['c', '0.865'],
  ]);
  const text = 'x <!--=a.b-->1,665<!--/--> y <!--=c:2--><!--/--> z';
  const written = 'x <!--=a.b-->2,826<!--/--> y <!--=c:2-->0.86<!--/--> z';
  expect(writeFigures(text, figures)).toBe(written);
  expect(writeFigures(written, figures)).toBe(written);
  expect(() => writeFigures('<!--=gone-->1<!--/-->', figures)).toThrow('docs/figures.json has no gone');
});

const scale = '| prefix affinity | 80.0 % | 1 |\n| round robin | 40.0 % | 1 |\n';

test('the GPUs for many users follow from the speed of one and from the simulation', () => {
  const figures = new Map([
    ['h200.32', '3,000'],
    ['h200.prompt', '10,000'],
    ['ember.ratio.1', '0.93'],
    ['500m.ratio.8', '1.01'],
  ]);
  const derived = deriveFigures(figures, computeLoad(10_000, scale));
  expect(Object.fromEntries(derived)).toMatchObject({
    'gpus.tokens': '25',
    'gpus.prompts': '10',
    'gpus.promptsRoundRobin': '30',
    'ratio.low': '0.93',
    'ratio.high': '1.01',
  });
  expect(loadTable(scale)).toContain('| 1,000 | 250 | 7,500 | 25 | 50,000 | 10,000 | 30,000 |\n');
  expect(() => computeLoad(1, '')).toThrow('the simulation has no "prefix affinity"');
});

test('every figure of the file is in the log, and used by a document', () => {
  const text = (name: string) => readFileSync(repository(name), 'utf8');
  const figures = readFigures(JSON.parse(text('docs/figures.json')), text('docs/perf-log.md'));
  const names = ['README.md', 'docs/performance.md', 'docs/scale.md', 'docs/gpu.md', 'docs/documents.md'];
  const documents = names.map(text).join('');
  expect([...figures.keys()].filter((name) => !documents.includes(`<!--=${name}`))).toEqual([]);
});
