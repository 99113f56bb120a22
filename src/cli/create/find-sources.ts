// What FROM and ADAPTER of a Modelfile mean on the machine where it was written: files and folders that are there, blobs
// and models that the server has.

import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { HearthError } from '../../base/errors.ts';
import { parseReference } from '../../formats/modelfile/reference.ts';
import { safeText } from '../output/format.ts';

export type Source =
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'blob'; readonly digest: string }
  | { readonly kind: 'file'; readonly path: string; readonly bytes: number };

/** `word` is FROM or ADAPTER, for what errors say; `folder` is where relative paths begin. */
export async function findSources(word: string, text: string, folder: string): Promise<Source[]> {
  const reference = parseReference(text);
  if (reference.kind === 'blob') return [{ kind: 'blob', digest: reference.digest }];
  const path = resolve(folder, expandHome(text));
  const files = await findFiles(path);
  // A plain name may be a file's or a model's: what is here is meant.
  if (files.length > 0) return files;
  if (reference.kind === 'model') return [{ kind: 'model', name: reference.text }];
  throw new HearthError(
    'bad_request',
    `${word} ${safeText(text)}: there is no such file, and no GGUF file in such a folder`,
  );
}

async function findFiles(path: string): Promise<Source[]> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return [{ kind: 'file', path, bytes: info.size }];
  if (!info?.isDirectory()) return [];
  const names = (await readdir(path)).filter((name) => name.toLowerCase().endsWith('.gguf')).sort();
  const nested = await Promise.all(names.map((name) => findFiles(join(path, name))));
  return nested.flat();
}

function expandHome(path: string): string {
  return /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** Names for files in a request: their own, and another where two have the same. */
export function nameFiles(paths: readonly string[]): string[] {
  const taken = new Set<string>();
  return paths.map((path) => {
    let name = basename(path);
    for (let number = 2; taken.has(name); number++) name = `${number}-${basename(path)}`;
    taken.add(name);
    return name;
  });
}
