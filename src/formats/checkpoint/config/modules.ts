// The modules of sentence-transformers, which follow one another.

import { unusable } from '../files/checkpoint-error.ts';
import type { CheckpointFolder } from '../files/checkpoint-folder.ts';
import { asString, type ConfigObject, objectsOf } from '../files/json-object.ts';

/** A module of sentence-transformers. */
export interface Module {
  /** Such as Pooling. */
  readonly kind: string;
  /** The folder of its files. */
  readonly path: string;
  readonly settings: ConfigObject;
}

export async function readModules(folder: CheckpointFolder): Promise<Module[]> {
  const modules: Module[] = [];
  for (const entry of objectsOf(await folder.readJson('modules.json'))) {
    const kind = asString(entry['type'])?.split('.').at(-1);
    const path = asString(entry['path']);
    if (kind === undefined || path === undefined) continue;
    if (modules.length >= maxModules) throw unusable(`it has more than ${maxModules} modules`);
    modules.push({ kind, path, settings: path === '' ? {} : await folder.readObject(`${path}/config.json`) });
  }
  return modules;
}

const maxModules = 16;
