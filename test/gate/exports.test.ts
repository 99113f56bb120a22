// The export check finds exports that nobody imports, and names that two files export.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createTreeCheck, createTreeWriter } from '../support/check-tree.ts';
import { repository } from '../support/repository.ts';

const check = await createTreeCheck('scripts/checks/check-exports.mjs', 'checkExports');

const a = 'export const first = 1;\nexport interface Second { x: number }\n';

test('an export that no other file imports fails', () => {
  const files = { 'src/a.ts': a, 'src/b.ts': "import { first } from './a.ts';\nconsole.log(first);\n" };
  expect(check(files)).toEqual({ ok: false, output: expect.stringContaining('src/a.ts:2: nobody imports Second') });
  expect(check(files).output).not.toContain('first');
});

test('every way to take a name from a file counts', () => {
  const ways = [
    (path: string) => `import type { first, Second } from '${path}';`,
    (path: string) => `import { first as one, type Second as Two } from '${path}';`,
    (path: string) => `import * as everything from '${path}';`,
    (path: string) => `const { first, Second } = await import('${path}');`,
    (path: string) => `(await import('${path}')).first; type S = import('${path}').Second;`,
    (path: string) => `import('${path}').then(({ first, Second }) => first);`,
    (path: string) => `list.push(import('${path}'));`,
    (path: string) => `export { first, type Second } from '${path}';`,
    (path: string) => `const { first, Second } = await loadSource('${path.replace('../src/', '')}');`,
  ];
  const files = ways.flatMap((way, index) => [
    [`src/${index}.ts`, a] as const,
    [`test/${index}.ts`, `${way(`../src/${index}.ts`)}\n`] as const,
  ]);
  expect(check(Object.fromEntries(files), '--dead')).toMatchObject({ ok: true });
});

test('an import() that takes one name does not use the others', () => {
  const files = { 'src/a.ts': a, 'test/use.ts': "const { first } = await import('../src/a.ts');\n" };
  expect(check(files, '--dead').output).toContain('nobody imports Second');
});

test('the use of a file of the same name elsewhere does not count', () => {
  const files = {
    'src/a.ts': a,
    'src/x/a.ts': a,
    'test/use.ts': "import { first, type Second } from '../src/x/a.ts';\n",
  };
  expect(check(files, '--dead').output).toMatch(/src\/a\.ts:1.*\n.*src\/a\.ts:2/);
});

test('a name that two files export fails, also in a list and in the page', () => {
  const files = { 'src/a.ts': a, 'web/b.tsx': 'const first = 2;\nconst other = 3;\nexport { first, other };\n' };
  expect(check(files, '--names')).toEqual({
    ok: false,
    output: 'first is exported by several files: src/a.ts:1, web/b.tsx:3\n',
  });
});

test('a type and a value with one name in one file are one export', () => {
  const files = { 'src/a.ts': 'export const Mode = 1;\nexport type Mode = number;\n' };
  expect(check(files, '--names')).toMatchObject({ ok: true });
});

test('nothing read is a failure', () => {
  expect(check({})).toEqual({ ok: false, output: expect.stringContaining('no file was read') });
});

test('a script of the checks prints what is wrong in a folder, and ends with 1', () => {
  const writeTree = createTreeWriter();
  const run = (code: string) => {
    const args = [repository('scripts/checks/check-exports.mjs'), writeTree({ 'src/a.ts': code })];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  expect(run('export const first = 1;\n')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'src/a.ts:1: nobody imports first: remove the word export, or the code\n',
  });
  expect(run('const first = 1;\n')).toEqual({ status: 0, stdout: '0 exports of 1 files\n', stderr: '' });
});
