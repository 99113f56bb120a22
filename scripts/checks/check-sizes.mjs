// Files of src/ and web/ have at most 300 lines, functions at most 100. large-code.json names those that are longer
// for now: a new one fails, and so does one in the list that has become shorter. `--write` writes the list, but adds
// nothing to it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { lineOf, runAsScript, walk } from './read-sources.mjs';

const limits = { files: 300, functions: 100 };
const list = 'scripts/checks/large-code.json';
const isFunction = (node) => ts.isFunctionLike(node) && node.body !== undefined;

/** The name of a function, or of what it is assigned to. */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const named = node.name ?? node.parent?.name;
  return named === undefined ? 'a function' : named.getText();
}

const linesOf = (source, node) => lineOf(source, node.getEnd()) - lineOf(source, node.getStart(source)) + 1;

function findLarge(sources) {
  const found = { files: new Map(), functions: new Map() };
  for (const path of sources.products()) {
    const source = sources.parse(path);
    const lines = source.text.split('\n').length - 1;
    if (lines > limits.files) found.files.set(path, lines);
    walk(source, (node) => {
      if (!isFunction(node) || linesOf(source, node) <= limits.functions) return;
      found.functions.set(`${path} ${nameOf(node)}`, linesOf(source, node));
    });
  }
  return found;
}

export function checkSizes(sources, flags) {
  const allowed = sources.has(list) ? JSON.parse(sources.read(list)) : { files: [], functions: [] };
  const found = findLarge(sources);
  const count = sources.products().length;
  const problems = [];
  for (const kind of Object.keys(limits)) {
    for (const [name, lines] of found[kind])
      if (!allowed[kind].includes(name)) problems.push(`${name} has ${lines} lines, and ${limits[kind]} are allowed`);
    for (const name of allowed[kind])
      if (!found[kind].has(name)) problems.push(`${list}: ${name} is not too long any more, or is gone: remove it`);
  }
  if (count === 0) problems.push('no file was read: the check does not work');
  if (flags.includes('--write')) {
    const rest = Object.fromEntries(
      Object.keys(limits).map((kind) => [kind, allowed[kind].filter((name) => found[kind].has(name))]),
    );
    writeFileSync(join(sources.root, list), `${JSON.stringify(rest, null, 2)}\n`);
  }
  return {
    problems,
    summary: `${count} files, ${allowed.files.length} of them and ${allowed.functions.length} functions too long`,
  };
}

runAsScript(import.meta, checkSizes);
