// Resolves FROM, ADAPTER and DRAFT of a Modelfile: local files and folders, blobs and models on the server. A folder has GGUF
// files, or a model in safetensors format.

import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { HearthError } from '../../base/errors.ts';
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
  const files = await findFiles(path);
  // A plain name can be a file or a model. Like in Ollama, an existing file wins.
  if (files.length > 0) return files;
  if (reference.kind !== 'path') return [{ kind: 'model', name: reference.text }];
  throw new HearthError(
    'bad_request',
    `${command} ${safeText(text)}: no such file, and no folder with GGUF or safetensors files`,
  );
}

async function findFiles(path: string): Promise<Source[]> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return [{ kind: 'file', path, bytes: info.size }];
  if (!info?.isDirectory()) return [];
  const names = (await readdir(path)).filter((name) => name.toLowerCase().endsWith('.gguf')).sort();
  const nested = await Promise.all(names.map((name) => findFiles(join(path, name))));
  return nested.length > 0 ? nested.flat() : findCheckpoint(path);
}

async function findCheckpoint(folder: string): Promise<Source[]> {
  const names = await findCheckpointFiles(folder);
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { kind: 'file', path, bytes: (await stat(path)).size, name } as const;
    }),
  );
}

function expandHome(path: string): string {
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
