// Fails on an export of src/ or web/ that no other file imports, and on a name that two files export. `--dead` and
// `--names` select one of the two. A path checks another folder.

import { exportsOf, importsOf } from './list-exports.mjs';
import { isCode, isProduct, lineOf, runAsScript } from './read-sources.mjs';

const folders = ['src', 'web', 'test', 'bench', 'scripts', 'examples'];
// code-cache/load-program.ts reads it from the bundle.
const entry = 'src/main.ts';

export function checkExports(sources, flags) {
  const only = flags.filter((flag) => flag === '--dead' || flag === '--names');
  const runs = (flag) => only.length === 0 || only.includes(flag);
  const parsed = folders
    .flatMap((folder) => sources.filesBelow(folder).filter(isCode))
    .map((path) => sources.parse(path));
  const products = parsed.filter(({ fileName }) => isProduct(fileName));
  const exported = products.flatMap((source) =>
    exportsOf(source).map(({ name, position }) => ({ path: source.fileName, line: lineOf(source, position), name })),
  );
  const problems = [
    ...(runs('--dead') ? findDead(exported, parsed) : []),
    ...(runs('--names') ? findRepeatedNames(exported) : []),
  ];
  if (products.length === 0) problems.push('no file was read: the check does not work');
  return { problems, summary: `${exported.length} exports of ${products.length} files` };
}

function findDead(exported, parsed) {
  const used = new Set();
  for (const source of parsed)
    for (const { path, names } of importsOf(source)) for (const name of names) used.add(`${path}#${name}`);
  const isUsed = ({ path, name }) => path === entry || used.has(`${path}#${name}`) || used.has(`${path}#*`);
  return exported
    .filter((one) => !isUsed(one))
    .map(({ path, line, name }) => `${path}:${line}: nobody imports ${name}: remove the word export, or the code`);
}

function findRepeatedNames(exported) {
  return [...groupByName(exported)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => {
      const shown = places.map(({ path, line }) => `${path}:${line}`);
      return `${name} is exported by several files: ${shown.join(', ')}`;
    });
}

// node20: Map.groupBy is newer.
function groupByName(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry.name, [...(groups.get(entry.name) ?? []), entry]);
  return groups;
}

runAsScript(import.meta, checkExports);
