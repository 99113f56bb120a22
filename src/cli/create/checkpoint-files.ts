// Finds the files of a model or adapter in safetensors format: weights, settings, tokenizer, and the settings of
// sentence-transformers' modules, which are in folders of their own and can have weights. The model card says whether Qwen 3
// is a reranker.

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Names relative to the folder, with slashes. Empty if it has no safetensors file. */
export async function findCheckpointFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map(({ name }) => name).sort();
  if (!names.some(isWeights)) return [];
  const nested = await Promise.all(entries.filter(isFolder).map(({ name }) => findModuleFiles(folder, name)));
  return [...names.filter((name) => isWeights(name) || isSettings(name)), ...nested.flat().sort()];
}

function isWeights(name: string): boolean {
  return /^(?:model.*|adapter_model)\.safetensors$/.test(name);
}

function isSettings(name: string): boolean {
  return name.endsWith('.json') || ['README.md', 'tokenizer.model', 'chat_template.jinja'].includes(name);
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory();
}

/** Such as 2_Dense. */
const moduleName = /^\d+_\w+$/;

async function findModuleFiles(folder: string, module: string): Promise<string[]> {
  const names: string[] = await readdir(join(folder, module)).catch(() => []);
  const needed = moduleName.test(module) ? ['config.json', 'model.safetensors'] : ['config.json'];
  return needed.filter((name) => names.includes(name)).map((name) => `${module}/${name}`);
}
