// Changes of order inside a tensor. It is divided into equal parts, such as heads or experts, and each part into equal units,
// such as rows.

import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';

export interface UnitOrder {
  readonly parts: number;
  /** Units of a part. */
  readonly units: number;
  /** The units of each part of the result. Units can be left out. */
  readonly order: readonly number[];
}

/**
 * llama.cpp rotates neighboring values of a head, transformers values that are half a head apart. So the rows of the two
 * halves alternate in the result.
 */
export function alternateHalves(parts: number, units: number): UnitOrder {
  return {
    parts,
    units,
    order: indicesBelow(units).map((unit) => (unit % 2) * Math.floor(units / 2) + Math.floor(unit / 2)),
  };
}

/** Units `start`, `start + step` and so on. */
export function everyUnit(units: number, start: number, step: number): number[] {
  return indicesBelow(Math.max(0, Math.ceil((units - start) / step))).map((index) => start + index * step);
}

export function indicesBelow(length: number): number[] {
  if (length > checkpointLimits.units)
    throw unusable(`a tensor has ${length} rows; the limit is ${checkpointLimits.units}`);
  return Array.from({ length }, (_, index) => index);
}
