// Reads and parses the code of the repository for the checks. Only syntax: no types, so that it takes seconds.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import ts from 'typescript';
import { root as ownRoot } from '../setup.mjs';

/** The folder to check: the first argument that is not a flag, otherwise this repository. */
export const checkedRoot = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? ownRoot;

const skippedFolders = ['node_modules', 'dist', 'build'];

/** Paths of all files below `folder`, relative to the checked root, with `/`. */
export function filesBelow(folder, root = checkedRoot) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`.split(sep).join('/').replace(/^\.\//, '');
      if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
      return skippedFolders.includes(entry.name) ? [] : filesBelow(path, root);
    })
    .sort();
}

export const isCode = (path) => /\.[mc]?[jt]sx?$/.test(path);
/** A file of src/ or web/ that is part of the program. */
export const isProduct = (path) => /^(src|web)\/.*(?<!\.test)(?<!\.d)\.tsx?$/.test(path);

const parsed = new Map();

/** Checks in one process parse each file once. */
export function parse(path) {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(checkedRoot, path), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  parsed.set(path, source);
  return source;
}

export const lineOf = (source, position) => source.getLineAndCharacterOfPosition(position).line + 1;

/** Calls `visit` for the node and everything below it. */
export function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Prints the problems and ends the process with 1, or prints the summary. */
export function finish(problems, summary) {
  if (problems.length === 0) return console.log(summary);
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
