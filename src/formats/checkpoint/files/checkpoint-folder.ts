// The files of a checkpoint: a model as published for PyTorch, with config.json, a tokenizer and safetensors files.

import { isUtf8 } from 'node:buffer';
import { HearthError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-values.ts';
import type { SafetensorsSource } from '../../safetensors/read-safetensors.ts';
import { checkpointLimits, unusable } from './checkpoint-error.ts';
import type { ConfigObject } from './json-object.ts';

export interface CheckpointFile extends SafetensorsSource {
  /** Relative to the folder of the checkpoint, with slashes. */
  readonly name: string;
}

export interface CheckpointFolder {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Throws if there is no such file. */
  file(name: string): CheckpointFile;
  /** Undefined if there is no such file. */
  readBytes(name: string, limit: number): Promise<Buffer | undefined>;
  readText(name: string): Promise<string | undefined>;
  readJson(name: string, limit?: number): Promise<unknown>;
  /** An empty object if there is no such file. */
  readObject(name: string, limit?: number): Promise<ConfigObject>;
}

export function openCheckpoint(files: readonly CheckpointFile[]): CheckpointFolder {
  if (files.length > checkpointLimits.files)
    throw unusable(`it has ${files.length} files; the limit is ${checkpointLimits.files}`);
  const byName = new Map(files.map((file) => [file.name, file]));

  const folder: CheckpointFolder = {
    names: [...byName.keys()],
    has: (name) => byName.has(name),
    file(name) {
      const file = byName.get(name);
      if (file === undefined) throw unusable(`${name} is missing`);
      return file;
    },
    async readBytes(name, limit) {
      const file = byName.get(name);
      if (file === undefined) return undefined;
      if (file.size > limit) throw unusable(`${name} has ${file.size} bytes; the limit is ${limit}`);
      return file.read(0, file.size);
    },
    async readText(name) {
      const bytes = await folder.readBytes(name, checkpointLimits.configBytes);
      return bytes === undefined ? undefined : decode(name, bytes);
    },
    async readJson(name, limit = checkpointLimits.configBytes) {
      const bytes = await folder.readBytes(name, limit);
      if (bytes === undefined) return undefined;
      try {
        return JSON.parse(decode(name, bytes));
      } catch (error) {
        throw error instanceof HearthError ? error : unusable(`${name} is not JSON`);
      }
    },
    async readObject(name, limit) {
      const value = (await folder.readJson(name, limit)) ?? {};
      if (!isObject(value)) throw unusable(`${name} is not a JSON object`);
      return value;
    },
  };
  return folder;
}

function decode(name: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw unusable(`${name} is not UTF-8`);
  return bytes.toString('utf8');
}
