// Compares the table "Folders and allowed imports" in ARCHITECTURE.md with the imports in src/ and web/. Type-only
// imports count. Fails on a forbidden import, on a cycle of files or rows, on a ring of folders with the same parent, and
// when an imported file is missing. With an argument, it checks another folder.

import { findRings, ringsAmong } from './checks/find-rings.mjs';
import { importsOf } from './checks/list-exports.mjs';
import { isProduct, runAsScript } from './checks/read-sources.mjs';

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

/** `a/*-b.ts` matches every file below a/ whose name ends with -b.ts. */
function matches(row, path) {
  const [folder, ending] = row.split('*');
  if (ending !== undefined) return path.startsWith(folder) && path.endsWith(ending);
  return path === row || path.startsWith(`${row}/`);
}

/** The row of a file: a pattern first, otherwise the longest folder. */
function rowOf(path, table) {
  const rows = [...table.keys()].filter((row) => matches(row, path.replace(/^src\//, '')));
  return rows.find((row) => row.includes('*')) ?? rows.sort((a, b) => b.length - a.length)[0];
}

const isPage = (row) => row === 'web' || row?.startsWith('web/');

/** What is wrong with one import: `from` and `to` are files with their rows. */
function wrongImport(from, to, { isTypeOnly, table }) {
  const what = `${from.path} imports ${to.path}`;
  if (to.path.startsWith('test/')) return [`${what}: product code imports a test helper`];
  if (!isProduct(to.path)) return [];
  const problems = [];
  if (isPage(from.row) && !isPage(to.row) && !isTypeOnly)
    problems.push(`${what}: the page takes only types from the server`);
  if (to.row !== from.row && !(table.get(from.row) ?? []).includes(to.row))
    problems.push(`${what}: ${from.row} may not import ${to.row}`);
  return problems;
}

/** What is wrong with the table itself: rings of rows, rows without a file, names without a row. */
function wrongTable(table, usedRows) {
  const arrows = [...table].flatMap(([row, allowed]) => allowed.map((name) => [row, name]));
  const problems = ringsAmong(arrows).map((ring) => `ARCHITECTURE.md allows a ring: ${ring.join(', ')}`);
  for (const [row, allowed] of table) {
    if (!usedRows.has(row)) problems.push(`ARCHITECTURE.md has a row for ${row}, which has no file`);
    for (const name of allowed)
      if (!table.has(name)) problems.push(`ARCHITECTURE.md: the row ${row} names ${name}, which has no row`);
  }
  return problems;
}

export function checkArrows(sources) {
  const table = readArrowTable(sources.read('ARCHITECTURE.md'));
  const files = sources.products();
  const rows = new Map(files.map((path) => [path, rowOf(path, table)]));
  const imports = files.flatMap((from) => importsOf(sources.parse(from)).map((found) => ({ ...found, from })));
  const problems = files
    .filter((path) => rows.get(path) === undefined)
    .map((path) => `${path}: ARCHITECTURE.md has no row for it`);
  for (const { from, path: to, isTypeOnly } of imports) {
    if (!sources.has(to)) problems.push(`${from} imports ${to}, which does not exist`);
    const file = (path) => ({ path, row: rows.get(path) });
    problems.push(...wrongImport(file(from), file(to), { isTypeOnly, table }));
  }
  const arrows = imports.map(({ from, path: to }) => ({ from, to })).filter(({ to }) => isProduct(to));
  for (const ring of ringsAmong(arrows.map(({ from, to }) => [from, to])))
    problems.push(`${ring.join(', ')} are part of an import cycle`);
  problems.push(...wrongTable(table, new Set(rows.values())), ...findRings(arrows));
  if (files.length === 0) problems.push('no file was read: the check does not work');
  return { problems: [...new Set(problems)], summary: `${files.length} files, every import is allowed` };
}

runAsScript(import.meta, checkArrows);
