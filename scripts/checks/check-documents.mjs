// What documents say about the tree: paths that they name exist, folder maps name every folder, and the numbers of
// decisions have no gap that the index does not explain.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runAsScript } from './read-sources.mjs';

const isFolder = (entry) => entry.isDirectory() && !entry.name.startsWith('.');
const ignored = ['node_modules', 'dist', 'build', 'shared'];
// They describe the past.
const histories = ['CHANGELOG.md', 'docs/perf-log.md'];

/** `a/{b,c}.ts` → a/b.ts and a/c.ts. */
function expand(path) {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  return match ? match[2].split(',').flatMap((name) => expand(match[1] + name.trim() + match[3])) : [path];
}

/** Lines of a map: a path with its depth, and what is said about it. */
function readMap(block) {
  const parents = [];
  // A line that is indented further continues the text above it.
  return block
    .replace(/\n {8,}/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const match = /^( *)(\S+)(?: +(.*))?$/.exec(line);
      if (match === null) return [];
      const [, indent, name, text = ''] = match;
      const depth = indent.length / 2;
      parents.splice(depth, Infinity, name.replace(/\/$/, ''));
      return [{ path: parents.slice(0, depth + 1).join('/'), isFolder: name.endsWith('/'), text }];
    });
}

class Documents {
  #sources;
  #topFolders;
  #sourceFolders;
  #allFiles;

  constructor(sources) {
    this.#sources = sources;
    this.#topFolders = this.#foldersIn('.');
    this.#sourceFolders = sources.has('src') ? this.#foldersIn('src') : [];
    this.#allFiles = this.#topFolders.flatMap((folder) => sources.filesBelow(folder));
  }

  paths() {
    return [
      ...readdirSync(this.#sources.root).filter((name) => name.endsWith('.md')),
      ...['docs', 'deploy', 'examples', 'models', 'test', 'bench'].flatMap((folder) =>
        this.#sources.filesBelow(folder).filter((path) => path.endsWith('.md')),
      ),
    ].filter((path) => !histories.includes(path));
  }

  #foldersIn(path) {
    return readdirSync(join(this.#sources.root, path), { withFileTypes: true })
      .filter(isFolder)
      .map(({ name }) => name)
      .filter((name) => !ignored.includes(name));
  }

  /** Whether a word in backquotes is a path of the repository. Paths of code may leave out their first folders. */
  #isPath(word) {
    if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(word)) return false;
    const [top, ...rest] = word.split('/');
    if (/\.(tsx?|mjs)$/.test(word)) return /^[a-z]/.test(word);
    return (
      rest.length > 0 && (this.#topFolders.includes(top) || this.#sourceFolders.includes(top)) && !top.includes('.')
    );
  }

  #isThere(path) {
    const isEnd = (file) => file.endsWith(`/${path}`);
    return this.#sources.has(path) || this.#sources.has(`src/${path}`) || this.#allFiles.some(isEnd);
  }

  wrongPaths(document) {
    // Blocks of code have commands and their output.
    const text = this.#sources.read(document).replace(/^ *```.*?^ *```/gms, '');
    const words = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, word]) => expand(word));
    return words
      .filter((word) => this.#isPath(word) && !this.#isThere(word))
      .map((word) => `${document}: there is no ${word}`);
  }

  /** A map follows the line `<!-- folder map -->`. A folder in it names each folder below it: as a line, or as `name/`. */
  wrongMaps(document) {
    const maps = [...this.#sources.read(document).matchAll(/^<!-- folder map -->\n```\n(.*?)^```/gms)];
    return maps.flatMap(([, block]) => {
      const entries = readMap(block);
      const mentioned = entries.flatMap(({ path, isFolder: folder, text }) => [
        path,
        ...(folder ? [...text.matchAll(/([\w-]+)\/(?=[\s,;)]|$)/g)].map(([, name]) => `${path}/${name}`) : []),
      ]);
      const missing = mentioned
        .filter((path) => !this.#sources.has(path))
        .map((path) => `${document}: there is no ${path}`);
      // Folders outside of src are one line each.
      const listed = entries.filter(
        ({ path, isFolder: folder }) => folder && /^src\b/.test(path) && this.#sources.has(path),
      );
      const complete = [
        ...this.#topFolders,
        ...listed.flatMap(({ path }) => this.#foldersIn(path).map((name) => `${path}/${name}`)),
      ];
      const unnamed = complete.filter((path) => !mentioned.includes(path));
      return [...missing, ...unnamed.map((path) => `${document}: the folder map does not have ${path}`)];
    });
  }

  /** Numbers of decisions: each is a page, or is in the sentence of the index about missing ones. */
  wrongNumbers() {
    if (!this.#sources.has('docs/adr')) return [];
    const names = readdirSync(join(this.#sources.root, 'docs/adr'));
    const numbers = names.map((name) => Number(/^(\d{4})-.*\.md$/.exec(name)?.[1]));
    const explained =
      /^(?:Number|Numbers) ([\d, and]+) (?:was|were) never used/m.exec(this.#sources.read('docs/README.md'))?.[1] ?? '';
    const skipped = (explained.match(/\d+/g) ?? []).map(Number);
    const problems = [];
    for (let number = 1; number <= Math.max(...numbers); number += 1) {
      const pages = numbers.filter((one) => one === number).length + skipped.filter((one) => one === number).length;
      if (pages === 0) problems.push(`docs/adr: there is no decision ${number}, and docs/README.md does not say why`);
      if (pages > 1) problems.push(`docs/adr: the number ${number} is used twice`);
    }
    return problems;
  }
}

export function checkDocuments(sources) {
  const documents = new Documents(sources);
  const paths = documents.paths();
  const problems = [
    ...paths.flatMap((path) => documents.wrongPaths(path)),
    ...paths.flatMap((path) => documents.wrongMaps(path)),
    ...documents.wrongNumbers(),
  ];
  if (paths.length === 0) problems.push('no document was read: the check does not work');
  return { problems: [...new Set(problems)], summary: `${paths.length} documents` };
}

runAsScript(import.meta, checkDocuments);
