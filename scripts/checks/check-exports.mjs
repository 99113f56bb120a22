// Fails on an export of src/ or web/ that no other file imports, and on a name that two files export. `--dead` and
// `--names` select one of the two. A path checks another folder.

import { exportsOf, importsOf } from './list-exports.mjs';
import { filesBelow, finish, isCode, isProduct, lineOf, parse } from './read-sources.mjs';

const folders = ['src', 'web', 'test', 'bench', 'scripts', 'examples'];
const only = process.argv.filter((argument) => argument === '--dead' || argument === '--names');
const runs = (flag) => only.length === 0 || only.includes(flag);

const sources = folders.flatMap((folder) => filesBelow(folder).filter(isCode)).map((path) => parse(path));
const products = sources.filter(({ fileName }) => isProduct(fileName));

const used = new Set();
for (const source of sources)
  for (const { path, names } of importsOf(source)) for (const name of names) used.add(`${path}#${name}`);
// code-cache/load-program.ts reads it from the bundle.
const entry = 'src/main.ts';
const isUsed = (path, name) => path === entry || used.has(`${path}#${name}`) || used.has(`${path}#*`);

const exported = products.flatMap((source) =>
  exportsOf(source).map(({ name, position }) => ({ path: source.fileName, line: lineOf(source, position), name })),
);

const problems = [];
if (runs('--dead'))
  for (const { path, line, name } of exported)
    if (!isUsed(path, name))
      problems.push(`${path}:${line}: nobody imports ${name}: remove the word export, or the code`);
if (runs('--names'))
  for (const [name, places] of groupByName(exported))
    if (places.length > 1)
      problems.push(
        `${name} is exported by several files: ${places.map(({ path, line }) => `${path}:${line}`).join(', ')}`,
      );
if (products.length === 0) problems.push('no file was read: the check does not work');

finish(problems, `${exported.length} exports of ${products.length} files`);

// node20: Map.groupBy is newer.
function groupByName(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry.name, [...(groups.get(entry.name) ?? []), entry]);
  return groups;
}
