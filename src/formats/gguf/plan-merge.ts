// Checks that GGUF files are the parts of one model, and plans the merged file: a header, then the data of all tensors
// in the order of the parts.

import { HearthError } from '../../base/errors.ts';
import { shown } from './byte-reader.ts';
import type { GgufTensor } from './read-gguf.ts';
import type { SplitInfo } from './split-info.ts';
import { aligned, writeGgufHeader } from './write-gguf-header.ts';

export interface GgufPart {
  readonly path: string;
  /** For error messages. */
  readonly name: string;
  readonly split: SplitInfo;
  readonly version: number;
  readonly alignment: number;
  readonly tensors: readonly GgufTensor[];
}

export interface MergePlan {
  readonly header: Buffer;
  readonly sources: readonly MergeSource[];
  /** The size of the result. */
  readonly bytes: number;
}

/** The data to copy from one part, in order. */
export interface MergeSource {
  readonly path: string;
  readonly name: string;
  readonly pieces: readonly MergePiece[];
}

interface MergePiece {
  readonly offset: number;
  readonly bytes: number;
  /** Zero bytes after the data. */
  readonly padding: number;
}

/** Sorts the parts. Throws if they are not a complete set. */
export function orderParts<P extends GgufPart>(parts: readonly P[]): [P, ...P[]] {
  const byNumber = new Map<number, P>();
  const [any] = parts;
  if (any === undefined) throw mergeError('there are no files to merge');
  const { count, tensors } = any.split;
  for (const part of parts) {
    const { name, split } = part;
    if (split.count !== count || split.tensors !== tensors)
      throw mergeError(`${any.name} and ${name} are not parts of the same model`);
    const other = byNumber.get(split.number);
    if (other) throw mergeError(`${other.name} and ${name} are both part ${split.number + 1} of ${count}`);
    byNumber.set(split.number, part);
  }
  const ordered: P[] = [];
  for (let number = 0; number < count; number++) {
    const part = byNumber.get(number);
    if (part === undefined) throw mergeError(`part ${number + 1} of ${count} of the model is missing`);
    ordered.push(part);
  }
  checkTensors(ordered, tensors);
  return ordered as [P, ...P[]];
}

/** `entries`: the metadata of the first part without the split keys. */
export function planMerge(parts: readonly [GgufPart, ...GgufPart[]], entries: readonly Buffer[]): MergePlan {
  const [{ version, alignment }] = parts;
  const tensors = parts.flatMap((part) => part.tensors);
  const header = writeGgufHeader({ version, alignment, entries, tensors });
  const toPiece = ({ offset, bytes }: GgufTensor): MergePiece => ({
    offset,
    bytes,
    padding: aligned(bytes, alignment) - bytes,
  });
  return {
    header,
    sources: parts.map(({ path, name, tensors }) => ({ path, name, pieces: tensors.map(toPiece) })),
    bytes: tensors.reduce((sum, tensor) => sum + aligned(tensor.bytes, alignment), header.length),
  };
}

function checkTensors(parts: readonly GgufPart[], expected: number): void {
  const names = new Set<string>();
  for (const part of parts) {
    for (const { name } of part.tensors) {
      if (names.has(name)) throw mergeError(`the tensor ${JSON.stringify(shown(name))} is in two parts`);
      names.add(name);
    }
    checkOverlap(part);
  }
  if (names.size !== expected) throw mergeError(`the parts have ${names.size} tensors in total, not ${expected}`);
}

/** Overlapping tensors would be copied several times, so that small files could fill the disk. */
function checkOverlap({ name, tensors }: GgufPart): void {
  let end = 0;
  for (const tensor of tensors.toSorted((a, b) => a.offset - b.offset)) {
    if (tensor.bytes > 0 && tensor.offset < end)
      throw mergeError(`the tensor ${JSON.stringify(shown(tensor.name))} of ${name} overlaps another`);
    end = Math.max(end, tensor.offset + tensor.bytes);
  }
}

export function mergeError(what: string): HearthError {
  return new HearthError('bad_request', `the model cannot be merged: ${what}`);
}
