// Finds the tensors of a checkpoint. The order is the one of llama.cpp's converter: by file, then by name.

import { HearthError } from '../../../base/errors.ts';
import { asObject } from '../../../base/json-values.ts';
import { ggufLimits } from '../../gguf/limits.ts';
import type { SafetensorsTensor } from '../../safetensors/read-safetensors.ts';
import { readSafetensors } from '../../safetensors/read-safetensors.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { CheckpointFile, CheckpointFolder } from '../files/checkpoint-folder.ts';

export interface SourceTensor extends SafetensorsTensor {
  readonly file: CheckpointFile;
}

/** A tensor of the model, with its name in the form that the family's table has. */
export interface NamedTensor {
  readonly name: string;
  readonly source: SourceTensor;
}

const indexName = 'model.safetensors.index.json';

export async function readSourceTensors(folder: CheckpointFolder): Promise<SourceTensor[]> {
  const index = Object.entries(asObject((await folder.readObject(indexName))['weight_map']));
  const names = index.length > 0 ? filesOfIndex(index) : folder.names.filter(isWeights).sort();
  if (names.length === 0) throw unusable('it has no file model*.safetensors');
  const tensors: SourceTensor[] = [];
  for (const name of names) tensors.push(...(await readTensorsOf(folder.file(name))).sort(byName));
  checkTensors(tensors);
  if (index.length > 0) checkIndex(new Set(index.map(([name]) => name)), tensors);
  return tensors;
}

/** In the order of their data. */
export async function readTensorsOf(file: CheckpointFile): Promise<SourceTensor[]> {
  const tensors = await readSafetensors(file).catch((error: unknown) => {
    throw error instanceof HearthError ? new HearthError(error.code, `${file.name}: ${error.message}`) : error;
  });
  return tensors.map((tensor) => ({ ...tensor, file }));
}

function byName(a: SourceTensor, b: SourceTensor): number {
  return a.name < b.name ? -1 : 1;
}

function checkTensors(tensors: readonly SourceTensor[]): void {
  if (tensors.length > ggufLimits.tensors) throw unusable(`it has more than ${ggufLimits.tensors} tensors`);
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw unusable(`the tensor ${name} is in two files`);
    names.add(name);
  }
}

function isWeights(name: string): boolean {
  return name.startsWith('model') && name.endsWith('.safetensors') && !name.includes('/');
}

function filesOfIndex(index: readonly (readonly [string, unknown])[]): string[] {
  const files = new Set<string>();
  for (const [tensor, file] of index) {
    if (typeof file !== 'string') throw unusable(`${indexName} has no file for the tensor ${tensor}`);
    files.add(file);
  }
  return [...files].sort();
}

function checkIndex(expected: ReadonlySet<string>, tensors: readonly SourceTensor[]): void {
  const found = new Set(tensors.map(({ name }) => name));
  const missing = [...expected].find((name) => !found.has(name));
  if (missing !== undefined) throw unusable(`the tensor ${missing} of ${indexName} is missing`);
  const extra = [...found].find((name) => !expected.has(name));
  if (extra !== undefined) throw unusable(`the tensor ${extra} is not in ${indexName}`);
}

/** Some of the rows: those of the first dimension. */
export function sliceRows(tensor: SourceTensor, start: number, end: number): SourceTensor {
  const [rows = 0, ...rest] = tensor.shape;
  if (start < 0 || end > rows || start > end)
    throw unusable(`the tensor ${tensor.name} has ${rows} rows, not ${end} as needed`);
  const rowBytes = rows === 0 ? 0 : tensor.bytes / rows;
  return {
    ...tensor,
    shape: [end - start, ...rest],
    offset: tensor.offset + start * rowBytes,
    bytes: (end - start) * rowBytes,
  };
}
