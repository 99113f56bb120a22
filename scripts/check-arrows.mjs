// Compares the table "Folders and allowed imports" in ARCHITECTURE.md with the imports in src/ and web/. Type-only
// imports count. Fails on a forbidden import, on a cycle of files or rows, on a ring of folders with the same parent, and
// when a file was not read. With an argument, it checks another folder.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { findRings } from './checks/find-rings.mjs';
import { root as ownRoot } from './setup.mjs';

const root = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? ownRoot;

/** Rows of the table: folder, file or pattern → the rows it may import. */
function readArrowTable(markdown) {
  const start = markdown.indexOf('| folder | may import |');
  const rows = markdown
    .slice(start)
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.replaceAll('`', '').trim()));
  const end = rows.findIndex((cells) => cells.length < 4);
  const table = rows.slice(0, end).map(([, folder, allowed]) => [folder, allowed === '–' ? [] : allowed.split(', ')]);
  if (start === -1 || table.length === 0) throw new Error('ARCHITECTURE.md has no table of allowed imports');
  return new Map(table);
}

const table = readArrowTable(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

/** `a/*-b.ts` matches every file below a/ whose name ends with -b.ts. */
function matches(row, path) {
  const [folder, ending] = row.split('*');
  if (ending !== undefined) return path.startsWith(folder) && path.endsWith(ending);
  return path === row || path.startsWith(`${row}/`);
}

/** The row of a file: a pattern first, otherwise the longest folder. */
function rowOf(path) {
  const rows = [...table.keys()].filter((row) => matches(row, path.replace(/^src\//, '')));
  return rows.find((row) => row.includes('*')) ?? rows.sort((a, b) => b.length - a.length)[0];
}

const isPage = (row) => row === 'web' || row?.startsWith('web/');

const rowsWithoutRing = new Set();

/** Rows that may import each other, directly or through others; undefined if there are none. */
function findRing(row, path = []) {
  if (path.includes(row)) return [...path.slice(path.indexOf(row)), row];
  if (rowsWithoutRing.has(row)) return undefined;
  for (const next of table.get(row) ?? []) {
    const ring = findRing(next, [...path, row]);
    if (ring !== undefined) return ring;
  }
  rowsWithoutRing.add(row);
  return undefined;
}

const folders = ['src', 'web'].filter((folder) => existsSync(join(root, folder)));
const isProduct = (path) =>
  folders.some((folder) => path.startsWith(`${folder}/`)) && /(?<!\.test)(?<!\.d)\.tsx?$/.test(path);

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).split(sep).join('/')}`)
    .filter(isProduct),
);

process.chdir(root);
const { output } = await cruise(folders, {
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '\\.test\\.ts$' },
  ruleSet: { forbidden: [{ name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } }] },
  validate: true,
});

const modules = output.modules.filter(({ source }) => isProduct(source));
const problems = output.summary.violations.map(({ from, to }) => `${from} and ${to} are part of an import cycle`);

for (const path of files) {
  if (!modules.some(({ source }) => source === path)) problems.push(`${path} was not read: the check does not work`);
  if (rowOf(path) === undefined) problems.push(`${path}: ARCHITECTURE.md has no row for it`);
}
for (const { source, dependencies } of modules) {
  const from = rowOf(source);
  const allowed = table.get(from) ?? [];
  for (const { resolved, dependencyTypes } of dependencies) {
    if (resolved.startsWith('test/'))
      problems.push(`${source} imports ${resolved}: product code imports a test helper`);
    if (!isProduct(resolved)) continue;
    const to = rowOf(resolved);
    if (isPage(from) && !isPage(to) && !dependencyTypes.includes('type-only'))
      problems.push(`${source} imports ${resolved}: the page takes only types from the server`);
    if (to !== from && !allowed.includes(to))
      problems.push(`${source} imports ${resolved}: ${from} may not import ${to}`);
  }
}
const ring = [...table.keys()].map((row) => findRing(row)).find((found) => found !== undefined);
if (ring !== undefined) problems.push(`ARCHITECTURE.md allows a ring: ${ring.join(' → ')}`);
for (const [row, allowed] of table) {
  if (!files.some((path) => rowOf(path) === row))
    problems.push(`ARCHITECTURE.md has a row for ${row}, which has no file`);
  for (const name of allowed)
    if (!table.has(name)) problems.push(`ARCHITECTURE.md: the row ${row} names ${name}, which has no row`);
}
if (process.argv.includes('--rings'))
  problems.push(
    ...findRings(
      modules.flatMap(({ source, dependencies }) =>
        dependencies
          .filter(({ resolved }) => isProduct(resolved))
          .map(({ resolved }) => ({ from: source, to: resolved })),
      ),
    ),
  );
if (files.length === 0) problems.push('no file was read: the check does not work');

if (problems.length > 0) {
  console.error([...new Set(problems)].join('\n'));
  process.exit(1);
}
console.log(`${modules.length} files, every import is allowed`);
