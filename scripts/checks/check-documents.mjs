// What documents say about the tree: paths that they name exist, folder maps name every folder, and the numbers of
// decisions have no gap that the index does not explain.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedRoot, filesBelow, finish } from './read-sources.mjs';

const read = (path) => readFileSync(join(checkedRoot, path), 'utf8');
const exists = (path) => existsSync(join(checkedRoot, path));
const isFolder = (entry) => entry.isDirectory() && !entry.name.startsWith('.');
const ignored = ['node_modules', 'dist', 'build', 'shared'];
const foldersIn = (path) =>
  readdirSync(join(checkedRoot, path), { withFileTypes: true })
    .filter(isFolder)
    .map(({ name }) => name)
    .filter((name) => !ignored.includes(name));

// They describe the past.
const histories = ['CHANGELOG.md', 'docs/perf-log.md'];
const documents = [
  ...readdirSync(checkedRoot).filter((name) => name.endsWith('.md')),
  ...['docs', 'deploy', 'examples', 'models', 'test', 'bench'].flatMap((folder) =>
    filesBelow(folder).filter((path) => path.endsWith('.md')),
  ),
].filter((path) => !histories.includes(path));

/** `a/{b,c}.ts` → a/b.ts and a/c.ts. */
function expand(path) {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  return match ? match[2].split(',').flatMap((name) => expand(match[1] + name.trim() + match[3])) : [path];
}

const topFolders = foldersIn('.');
const sourceFolders = exists('src') ? foldersIn('src') : [];

const allFiles = topFolders.flatMap((folder) => filesBelow(folder));

/** Whether a word in backquotes is a path of the repository. Paths of code may leave out their first folders. */
function isPath(word) {
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(word)) return false;
  const [top, ...rest] = word.split('/');
  if (/\.(tsx?|mjs)$/.test(word)) return /^[a-z]/.test(word);
  return rest.length > 0 && (topFolders.includes(top) || sourceFolders.includes(top)) && !top.includes('.');
}

const isThere = (path) => exists(path) || exists(`src/${path}`) || allFiles.some((file) => file.endsWith(`/${path}`));

function wrongPaths(document) {
  // Blocks of code have commands and their output.
  const text = read(document).replace(/^ *```.*?^ *```/gms, '');
  const words = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, word]) => expand(word));
  return words.filter((word) => isPath(word) && !isThere(word)).map((word) => `${document}: there is no ${word}`);
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

/** A map follows the line `<!-- folder map -->`. A folder in it names each folder below it: as a line, or as `name/`. */
function wrongMaps(document) {
  const maps = [...read(document).matchAll(/^<!-- folder map -->\n```\n(.*?)^```/gms)];
  return maps.flatMap(([, block]) => {
    const entries = readMap(block);
    const mentioned = entries.flatMap(({ path, isFolder: folder, text }) => [
      path,
      ...(folder ? [...text.matchAll(/([\w-]+)\/(?=[\s,;)]|$)/g)].map(([, name]) => `${path}/${name}`) : []),
    ]);
    const missing = mentioned.filter((path) => !exists(path)).map((path) => `${document}: there is no ${path}`);
    // Folders outside of src are one line each.
    const listed = entries.filter(({ path, isFolder: folder }) => folder && /^src\b/.test(path) && exists(path));
    const complete = [...topFolders, ...listed.flatMap(({ path }) => foldersIn(path).map((name) => `${path}/${name}`))];
    const unnamed = complete.filter((path) => !mentioned.includes(path));
    return [...missing, ...unnamed.map((path) => `${document}: the folder map does not have ${path}`)];
  });
}

/** Numbers of decisions: each is a page, or is in the sentence of the index about missing ones. */
function wrongNumbers() {
  if (!exists('docs/adr')) return [];
  const names = readdirSync(join(checkedRoot, 'docs/adr'));
  const numbers = names.map((name) => Number(/^(\d{4})-.*\.md$/.exec(name)?.[1]));
  const explained = /^(?:Number|Numbers) ([\d, and]+) (?:was|were) never used/m.exec(read('docs/README.md'))?.[1] ?? '';
  const skipped = (explained.match(/\d+/g) ?? []).map(Number);
  const problems = [];
  for (let number = 1; number <= Math.max(...numbers); number += 1) {
    const pages = numbers.filter((one) => one === number).length + skipped.filter((one) => one === number).length;
    if (pages === 0) problems.push(`docs/adr: there is no decision ${number}, and docs/README.md does not say why`);
    if (pages > 1) problems.push(`docs/adr: the number ${number} is used twice`);
  }
  return problems;
}

const problems = [...documents.flatMap(wrongPaths), ...documents.flatMap(wrongMaps), ...wrongNumbers()];
if (documents.length === 0) problems.push('no document was read: the check does not work');

finish([...new Set(problems)], `${documents.length} documents`);
