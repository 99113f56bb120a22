// Importance matrices in llama.cpp's format: a GGUF file with two tensors for each matrix of a model. `NAME.in_sum2` has the
// sums of the squares of its inputs, `NAME.counts` how many there were, for the matrix or for each of its experts.

import { open } from 'node:fs/promises';
import { HearthError } from '../../base/errors.ts';
import { type Gguf, type GgufTensor, readGgufFile } from './read-gguf.ts';

export const sumsSuffix = '.in_sum2';
export const countsSuffix = '.counts';
export const imatrixType = 'imatrix';
// Values of all matrices. The largest mixtures of experts have about 400 million.
export const maxImatrixValues = 2 ** 30;

interface ImatrixPair {
  /** The name of a tensor of the model. */
  readonly name: string;
  readonly sums: GgufTensor;
  readonly counts: GgufTensor;
}

/** How important each column of a matrix is. */
export interface Importance {
  readonly name: string;
  readonly values: Float32Array;
}

function unusable(what: string): HearthError {
  return new HearthError('bad_request', `the importance matrix cannot be used: ${what}`);
}

/** Refuses a file that is no importance matrix for this model: llama.cpp would stop in the middle, or ignore it. */
export function checkImatrix(file: Gguf, model: Gguf): void {
  const shapes = new Map(model.tensors.map(({ name, shape }) => [name, shape]));
  const pairs = pairsOf(file).filter(({ name }) => shapes.has(name));
  if (pairs.length === 0) throw unusable('it is for another model: it has none of its tensors');
  for (const { name, sums } of pairs) {
    const [columns = 1, , matrices = 1] = shapes.get(name) ?? [];
    if (valuesOf(sums) !== columns * matrices)
      throw unusable(`it is for another model: it has ${valuesOf(sums)} values for ${name}, not ${columns * matrices}`);
  }
}

export async function readImatrix(path: string): Promise<Importance[]> {
  const pairs = pairsOf(await readGgufFile(path, { maxArray: 0 }));
  const file = await open(path, 'r');
  try {
    const read = async ({ offset, bytes }: GgufTensor): Promise<Float32Array> => {
      const { buffer } = await file.read(new Uint8Array(bytes), 0, bytes, offset);
      return new Float32Array(buffer.buffer);
    };
    const result: Importance[] = [];
    for (const { name, sums, counts } of pairs)
      result.push({ name, values: meansOf(name, await read(sums), await read(counts)) });
    return result;
  } finally {
    await file.close();
  }
}

/** An expert that no token reached is as important as any other. */
function meansOf(name: string, sums: Float32Array, counts: Float32Array): Float32Array {
  const columns = sums.length / counts.length;
  for (let index = 0; index < sums.length; index++) {
    const count = counts[Math.floor(index / columns)] as number;
    const mean = count > 0 ? Math.fround((sums[index] as number) / count) : 1;
    if (!Number.isFinite(mean) || mean < 0) throw unusable(`a value of ${name} is not a positive number`);
    sums[index] = mean;
  }
  return sums;
}

function valuesOf({ shape }: GgufTensor): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function isImatrix({ metadata }: Pick<Gguf, 'metadata'>): boolean {
  return metadata.get('general.type') === imatrixType;
}

function pairsOf({ metadata, tensors }: Gguf): ImatrixPair[] {
  if (!isImatrix({ metadata })) throw unusable('it is a GGUF file of another kind');
  if (tensors.reduce((sum, tensor) => sum + valuesOf(tensor), 0) > maxImatrixValues)
    throw unusable(`it has more than ${maxImatrixValues} values`);
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  return tensors.flatMap((sums) => {
    if (!sums.name.endsWith(sumsSuffix)) return [];
    const name = sums.name.slice(0, -sumsSuffix.length);
    const counts = byName.get(name + countsSuffix);
    if (counts === undefined) throw unusable(`it has no counts for ${name}`);
    if (sums.type.name !== 'F32' || counts.type.name !== 'F32') throw unusable(`the tensors for ${name} are not F32`);
    if (valuesOf(counts) === 0 || valuesOf(sums) % valuesOf(counts) !== 0)
      throw unusable(`the counts for ${name} do not match`);
    return [{ name, sums, counts }];
  });
}
