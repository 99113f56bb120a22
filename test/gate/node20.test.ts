// What only Node 20 needs is in the tables of CONTRIBUTING.md, so that dropping it is one commit.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

const read = (name: string): string => readFileSync(repository(name), 'utf8');
const [section = ''] = /^## What only Node 20 needs\n.*?(?=^## )/ms.exec(read('CONTRIBUTING.md')) ?? [];
const rows = [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, name = '', second = '']) => ({
  name,
  second,
}));
const files = rows.filter(({ name }) => /\.\w+$/.test(name));
const packages = rows.filter((row) => !files.includes(row));

test('every mark in a file has a row, and every row a mark', () => {
  const args = [
    'grep',
    '--untracked',
    '-lE',
    '(//|#) .*node20:',
    '--',
    'src',
    'web',
    'scripts',
    'bin',
    'bench',
    'examples',
    'deploy',
  ];
  const marked = execFileSync('git', args, { encoding: 'utf8', cwd: repository('.') })
    .trim()
    .split('\n');
  expect(files.map(({ name }) => name).sort()).toEqual(marked.sort());
});

/** The first number of a range: `^14.0.0` → 14, `~6.6.0` → 6.6. */
const floorOf = (range: string): number => Number(/\d+(\.\d+)?/.exec(range)?.[0]);

test('every package of the table is named in package.json, below the version that needs a newer Node', () => {
  const { dependencies, devDependencies, optionalDependencies, engines } = JSON.parse(read('package.json'));
  const ranges: Record<string, string> = { ...dependencies, ...devDependencies, ...optionalDependencies };
  expect(engines.node).toMatch(/^>=20\./);
  expect(packages).not.toEqual([]);
  for (const { name, second } of packages) expect(floorOf(ranges[name] ?? ''), name).toBeLessThan(Number(second));
});
