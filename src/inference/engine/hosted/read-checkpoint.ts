// What the files of a checkpoint tell: which network it is, and how large. Every byte may come from anybody.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asObject, parseJson } from '../../../base/json-values.ts';

export interface CheckpointFacts {
  /** Such as `qwen3`; empty if unknown. */
  readonly family: string;
  /** The class in transformers, such as `Qwen3ForCausalLM`; empty if unknown. */
  readonly architecture: string;
  readonly hasVision: boolean;
  /** Absent: unknown. */
  readonly contextLength?: number | undefined;
  /** The size of the files with weights. */
  readonly weightBytes: number;
}

const maxConfigBytes = 2 ** 20;
const maxFiles = 10_000;
const maxTextLength = 100;

/** Undefined if the folder cannot be read, or has no config.json. */
export async function readCheckpoint(folder: string): Promise<CheckpointFacts | undefined> {
  try {
    const path = join(folder, 'config.json');
    const info = await stat(path);
    if (!info.isFile() || info.size > maxConfigBytes) return undefined;
    const config = asObject(parseJson(await readFile(path, 'utf8')));
    return { ...readConfig(config), weightBytes: await sumWeights(folder) };
  } catch {
    return undefined;
  }
}

function readConfig(config: Readonly<Record<string, unknown>>): Omit<CheckpointFacts, 'weightBytes'> {
  const { model_type: family, architectures, vision_config: vision } = config;
  const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxTextLength) : '');
  // The length is a part of the configuration of the language model in models with several.
  const lengths = [config, asObject(config['text_config'])].map((part) => part['max_position_embeddings']);
  const contextLength = lengths.find((length) => Number.isSafeInteger(length) && Number(length) > 0);
  return {
    family: text(family),
    architecture: Array.isArray(architectures) ? text(architectures[0]) : '',
    hasVision: vision !== undefined,
    contextLength: contextLength as number | undefined,
  };
}

async function sumWeights(folder: string): Promise<number> {
  const names = (await readdir(folder))
    .slice(0, maxFiles)
    .filter((name) => /\.(?:safetensors|bin|pt|gguf)$/.test(name));
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}
