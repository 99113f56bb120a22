// Experts that are one tensor already: matrices by expert, with both inputs of the activation in one.

import { unusable } from '../files/checkpoint-error.ts';
import type { NamedPiece } from './output-tensor.ts';
import type { SourceTensor } from './source-tensors.ts';

/** `gate_up_proj` becomes `gate_proj` and `up_proj`, which are halves of its rows; `down_proj` gets the ending of a weight. */
export function splitExperts(source: SourceTensor, name: string): readonly NamedPiece[] | undefined {
  const [, prefix, kind] = /^(.+\.experts)\.(gate_up_proj|down_proj)(?:\.weight)?$/.exec(name) ?? [];
  if (prefix === undefined) return undefined;
  if (kind === 'down_proj') return [{ name: `${prefix}.down_proj.weight`, piece: { source } }];
  return splitHalves(source, [`${prefix}.gate_proj.weight`, `${prefix}.up_proj.weight`]);
}

/** Halves of the rows of each matrix. */
export function splitHalves(source: SourceTensor, names: readonly [string, string]): NamedPiece[] {
  const [rows = 0, columns = 0] = source.shape.slice(-2);
  const leading = source.shape.slice(0, -2);
  if (rows % 2 !== 0) throw unusable(`the tensor ${source.name} has ${rows} rows, which are not two halves`);
  const shape = [...leading, rows / 2, columns];
  const parts = leading.reduce((product, size) => product * size, 1);
  return names.map((name, half) => ({ name, piece: { source, shape, order: { parts, units: 2, order: [half] } } }));
}
