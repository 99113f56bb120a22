// Holds the table "Folders and the arrows between them" in ARCHITECTURE.md against the imports in src/. Type-only imports
// count. Fails on a forbidden import, on a circle, and when it has not read every file. With an argument, it looks at
// another folder.

import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { root as ownRoot } from './setup.mjs';

const root = process.argv[2] ?? ownRoot;

/** Rows of the table: folder or file → what it may import. */
function readArrowTable(markdown) {
  const start = markdown.indexOf('| folder | may import |');
  const rows = markdown
    .slice(start)
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.replaceAll('`', '').trim()));
  const end = rows.findIndex((cells) => cells.length < 4);
  const table = rows.slice(0, end).map(([, folder, allowed]) => [folder, allowed === '–' ? [] : allowed.split(', ')]);
  if (start === -1 || table.length === 0) throw new Error('ARCHITECTURE.md has no table of arrows');
  return new Map(table);
}

/** src/runner/llama/batch.ts → runner; src/main.ts → main.ts. */
const unitOf = (path) => path.split('/')[1];

const isProduct = (path) => path.startsWith('src/') && !path.endsWith('.test.ts');

const files = readdirSync(join(root, 'src'), { recursive: true })
  .map((name) => `src/${String(name).split(sep).join('/')}`)
  .filter((path) => path.endsWith('.ts') && isProduct(path));

const table = readArrowTable(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
process.chdir(root);
const { output } = await cruise(['src'], {
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '\\.test\\.ts$' },
  ruleSet: { forbidden: [{ name: 'no-circles', severity: 'error', from: {}, to: { circular: true } }] },
  validate: true,
});

const modules = output.modules.filter(({ source }) => isProduct(source));
const problems = output.summary.violations.map(({ from, to }) => `${from} and ${to} import each other in a circle`);

for (const path of files) {
  if (!modules.some(({ source }) => source === path)) problems.push(`${path} was not read: the check does not work`);
  if (!table.has(unitOf(path))) problems.push(`${path}: ARCHITECTURE.md has no row for ${unitOf(path)}`);
}
for (const { source, dependencies } of modules) {
  const from = unitOf(source);
  const allowed = table.get(from) ?? [];
  for (const { resolved } of dependencies.filter((dependency) => isProduct(dependency.resolved))) {
    const to = unitOf(resolved);
    if (to !== from && !allowed.includes(to))
      problems.push(`${source} imports ${resolved}: ${from} may not import ${to}`);
  }
}
if (files.length === 0) problems.push('no file was read: the check does not work');

if (problems.length > 0) {
  console.error([...new Set(problems)].join('\n'));
  process.exit(1);
}
console.log(`${modules.length} files, every import along an arrow`);
