// `process.env`, `process.stdout` and `process.stderr` are used only in the files of process-files.json. A row that
// nobody needs any more fails too, so the table only gets shorter.

import ts from 'typescript';
import { isProduct, lineOf, runAsScript, walk } from './read-sources.mjs';

const table = 'scripts/checks/process-files.json';
const watched = new Set(['env', 'stdout', 'stderr']);

/** Members of `process` that a node names: `process.env`, `process['env']`, `const { env } = process`, and imports. */
function membersIn(node) {
  if (ts.isPropertyAccessExpression(node) && isProcess(node.expression)) return [node.name.text];
  if (ts.isElementAccessExpression(node) && isProcess(node.expression)) return [node.argumentExpression.text];
  if (ts.isVariableDeclaration(node) && node.initializer && isProcess(node.initializer))
    return ts.isObjectBindingPattern(node.name) ? boundNames(node.name.elements) : [...watched];
  if (!ts.isImportDeclaration(node) || !/^(node:)?process$/.test(node.moduleSpecifier.text)) return [];
  const bindings = node.importClause?.namedBindings;
  return bindings && ts.isNamedImports(bindings) ? boundNames(bindings.elements) : [...watched];
}

const boundNames = (elements) => elements.map(({ propertyName, name }) => (propertyName ?? name).text);

function isProcess(node) {
  if (ts.isIdentifier(node)) return node.text === 'process';
  return ts.isPropertyAccessExpression(node) && node.name.text === 'process' && node.expression.text === 'globalThis';
}

export function checkProcess(sources) {
  const rows = JSON.parse(sources.read(table));
  const problems = [];
  const needed = new Set();
  const files = sources.filesBelow('src').filter(isProduct);
  for (const path of files) {
    const source = sources.parse(path);
    walk(source, (node) => {
      for (const member of membersIn(node)) {
        if (!watched.has(member)) continue;
        needed.add(`${path} ${member}`);
        if (!rows.some((row) => row.path === path && row.members.includes(member)))
          problems.push(`${path}:${lineOf(source, node.getStart(source))}: process.${member} is not for this file`);
      }
    });
  }
  for (const { path, members } of rows)
    for (const member of members)
      if (!needed.has(`${path} ${member}`))
        problems.push(`${table}: ${path} does not use process.${member}: remove it`);
  if (files.length === 0) problems.push('no file was read: the check does not work');
  return {
    problems,
    summary: `${files.length} files, ${rows.length} of them use the environment or the output of the process`,
  };
}

runAsScript(import.meta, checkProcess);
