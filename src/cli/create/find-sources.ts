// Resolves FROM, ADAPTER and DRAFT of a Modelfile: local files and folders, blobs and models on the server. A folder has GGUF
// files, or a model in safetensors format. A pattern such as `./model-*.gguf` chooses files of a folder.

import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { nearestWord } from '../../base/text/nearest-word.ts';
import { parseReference } from '../../formats/modelfile/reference.ts';
import { safeText } from '../output/format.ts';
import { findCheckpointFiles } from './checkpoint-files.ts';

export type Source =
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'blob'; readonly digest: string }
  /** `name`: the name in the request, if it is not chosen freely. */
  | { readonly kind: 'file'; readonly path: string; readonly bytes: number; readonly name?: string };

/** `command` is FROM, ADAPTER or DRAFT, for error messages. Relative paths are resolved against `folder`. */
export async function findSources(command: string, text: string, folder: string): Promise<Source[]> {
  const reference = parseReference(text);
  if (reference.kind === 'blob') return [{ kind: 'blob', digest: reference.digest }];
  const path = resolve(folder, expandHome(text));
  const files = [...(await findFiles(path)), ...(await findMatches(path))];
  // A plain name can be a file or a model. Like in Ollama, an existing file wins.
  if (files.length > 0) return files;
  if (reference.kind !== 'path') return [{ kind: 'model', name: reference.text }];
  const nearest = await nearestFile(path);
  const hint = nearest === undefined ? '' : `. Did you mean ${safeText(join(dirname(text), nearest))}?`;
  throw new HearthError(
    'bad_request',
    `${command} ${safeText(text)}: no such file, and no folder with GGUF or safetensors files${hint}`,
  );
}

async function nearestFile(path: string): Promise<string | undefined> {
  const names: string[] = await readdir(dirname(path)).catch(() => []);
  return nearestWord(basename(path), names);
}

async function findFiles(path: string): Promise<Source[]> {
  const file = await findFile(path);
  if (file !== undefined) return [file];
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) return [];
  const names = (await readdir(path)).filter((name) => name.toLowerCase().endsWith('.gguf')).sort();
  const nested = await Promise.all(names.map((name) => findFiles(join(path, name))));
  return nested.length > 0 ? nested.flat() : findCheckpoint(path);
}

/** The files that a pattern in the last part of the path names. Empty if there is none, or if it is the name of a file. */
async function findMatches(path: string): Promise<Source[]> {
  const [folder, pattern] = [dirname(path), basename(path)];
  if (!/[*?]/.test(pattern) || (await stat(path).catch(() => undefined)) !== undefined) return [];
  const all: string[] = await readdir(folder).catch(() => []);
  const names = all.filter((name) => matchesPattern(pattern, name)).sort();
  // Weights in safetensors format need the settings next to them.
  if (names.some(isSafetensors)) return findCheckpoint(folder, (name) => !isSafetensors(name) || names.includes(name));
  const found = await Promise.all(names.map((name) => findFile(join(folder, name))));
  return found.filter((file) => file !== undefined);
}

function isSafetensors(name: string): boolean {
  return name.endsWith('.safetensors');
}

async function findFile(path: string): Promise<Source | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info?.isFile() ? { kind: 'file', path, bytes: info.size } : undefined;
}

/** `*` stands for any text, `?` for one character. */
function matchesPattern(pattern: string, name: string): boolean {
  let [at, next] = [0, 0];
  // Where the last `*` was, and how much of the name it stands for so far.
  let [star, taken] = [-1, 0];
  while (next < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      taken = next;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[next])) {
      at++;
      next++;
    } else if (star === -1) return false;
    else {
      at = star + 1;
      next = ++taken;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

async function findCheckpoint(folder: string, isWanted = (_name: string): boolean => true): Promise<Source[]> {
  const names = (await findCheckpointFiles(folder)).filter(isWanted);
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { kind: 'file', path, bytes: (await stat(path)).size, name } as const;
    }),
  );
}

export function expandHome(path: string): string {
  return /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** File names for a request: the base names, made unique. */
export function nameFiles(paths: readonly string[]): string[] {
  const used = new Set<string>();
  return paths.map((path) => {
    let name = basename(path);
    for (let number = 2; used.has(name); number++) name = `${number}-${basename(path)}`;
    used.add(name);
    return name;
  });
}
