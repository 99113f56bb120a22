// Reads and parses the code of a folder for the checks. Only syntax: no types, so that it takes seconds.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root as ownRoot } from '../setup.mjs';

// No check reads the tags of documentation comments as nodes.
const parseOptions = {
  languageVersion: ts.ScriptTarget.ESNext,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};
const skippedFolders = ['node_modules', 'dist', 'build'];

/** The files below a folder. Each is parsed once. */
export class Sources {
  #parsed = new Map();

  constructor(root) {
    this.root = root;
  }

  has(path) {
    return existsSync(join(this.root, path));
  }

  read(path) {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** Paths of all files below `folder`, relative to the root, with `/`. */
  filesBelow(folder) {
    if (!this.has(folder)) return [];
    return readdirSync(join(this.root, folder), { withFileTypes: true })
      .flatMap((entry) => {
        const path = `${folder}/${entry.name}`.split(sep).join('/').replace(/^\.\//, '');
        if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
        return skippedFolders.includes(entry.name) ? [] : this.filesBelow(path);
      })
      .sort();
  }

  /** The files of src/ and web/ that are part of the program. */
  products() {
    return ['src', 'web'].flatMap((folder) => this.filesBelow(folder)).filter(isProduct);
  }

  parse(path) {
    const known = this.#parsed.get(path);
    if (known !== undefined) return known;
    const source = ts.createSourceFile(path, this.read(path), parseOptions, true);
    this.#parsed.set(path, source);
    return source;
  }
}

export const isCode = (path) => /\.[mc]?[jt]sx?$/.test(path);
/** A file of src/ or web/ that is part of the program. */
export const isProduct = (path) => /^(src|web)\/.*(?<!\.test)(?<!\.d)\.tsx?$/.test(path);

export const lineOf = (source, position) => source.getLineAndCharacterOfPosition(position).line + 1;

/** Calls `visit` for the node and everything below it. */
export function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/**
 * Runs checks if `meta` is of the script that Node runs. A check takes the sources and the flags, and returns its problems and a
 * summary. The first argument that is not a flag is the folder to check, otherwise this repository.
 */
export function runAsScript(meta, ...checks) {
  if (process.argv[1] !== fileURLToPath(meta.url)) return;
  const words = process.argv.slice(2);
  const isFlag = (word) => word.startsWith('--');
  const sources = new Sources(words.find((word) => !isFlag(word)) ?? ownRoot);
  for (const check of checks) {
    const { problems, summary } = check(sources, words.filter(isFlag));
    if (problems.length === 0) console.log(summary);
    else {
      console.error(problems.join('\n'));
      process.exitCode = 1;
    }
  }
}
