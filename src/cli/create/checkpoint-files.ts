// Finds the files of a model or adapter in safetensors format: weights, settings, tokenizer, and the settings of
// sentence-transformers' modules, which are in folders of their own.

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Names relative to the folder, with slashes. Empty if it has no safetensors file. */
export async function findCheckpointFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map(({ name }) => name).sort();
  if (!names.some(isWeights)) return [];
  const nested = await Promise.all(entries.filter(isFolder).map(({ name }) => findModuleFile(folder, name)));
  return [...names.filter((name) => isWeights(name) || isSettings(name)), ...nested.flat().sort()];
}

function isWeights(name: string): boolean {
  return /^(?:model.*|adapter_model)\.safetensors$/.test(name);
}

function isSettings(name: string): boolean {
  return name.endsWith('.json') || name === 'tokenizer.model' || name === 'chat_template.jinja';
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory();
}

async function findModuleFile(folder: string, module: string): Promise<string[]> {
  const names: string[] = await readdir(join(folder, module)).catch(() => []);
  return names.includes('config.json') ? [`${module}/config.json`] : [];
}
