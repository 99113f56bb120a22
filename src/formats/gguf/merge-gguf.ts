// Merges a model that is split into several GGUF files. llama.cpp finds the parts of a model by their file names, and
// blobs are named by digest. Memory use is bounded: only headers and one block of data are in memory.

import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { HearthError, requestCanceled } from '../../base/errors.ts';
import { ggufLimits } from './limits.ts';
import { type GgufPart, type MergePlan, type MergeSource, mergeError, orderParts, planMerge } from './plan-merge.ts';
import { type ByteSpan, type Gguf, readGgufFile, readSpan } from './read-gguf.ts';
import { isSplitKey, splitInfoOf } from './split-info.ts';

export interface MergeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the result. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The bytes of the merged file. The parts can be in any order. The set is checked before the first byte. */
export async function* mergedGguf(paths: readonly string[], options: MergeOptions = {}): AsyncGenerator<Buffer> {
  yield* copyPlan(await planMergeOf(paths, options.signal), options);
}

async function planMergeOf(paths: readonly string[], signal: AbortSignal | undefined): Promise<MergePlan> {
  const parts: ReadPart[] = [];
  let tensors = 0;
  let headerBytes = 0;
  for (const path of paths) {
    checkSignal(signal);
    const part = await readPart(path);
    parts.push(part);
    tensors += part.tensors.length;
    headerBytes += part.headerBytes;
    // The limits of one file apply to all parts together, because the result has the sum of them.
    if (tensors > ggufLimits.tensors || headerBytes > ggufLimits.headerBytes)
      throw mergeError(
        `its parts have more than ${ggufLimits.tensors} tensors or ${ggufLimits.headerBytes} bytes of headers`,
      );
  }
  const ordered = orderParts(parts);
  return planMerge(ordered, await readEntries(ordered[0]));
}

interface ReadPart extends GgufPart {
  readonly headerBytes: number;
  /** Metadata for the result; empty except in the first part. */
  readonly entries: readonly ByteSpan[];
}

async function readPart(path: string): Promise<ReadPart> {
  const name = basename(path);
  try {
    const gguf = await readGgufFile(path, { maxArray: 0 });
    const split = splitInfoOf(gguf);
    if (split === undefined) throw mergeError('it is not a part of a split model');
    const { version, tensors, layout } = gguf;
    const { alignment, headerBytes } = layout;
    const entries = split.number === 0 ? ownEntries(gguf) : [];
    return { path, name, split, version, alignment, tensors, headerBytes, entries };
  } catch (error) {
    throw withName(error, name);
  }
}

function ownEntries({ layout }: Gguf): ByteSpan[] {
  return [...layout.entries].filter(([key]) => !isSplitKey(key)).map(([, span]) => span);
}

async function readEntries({ path, name, entries, headerBytes }: ReadPart): Promise<Buffer[]> {
  const file = await open(path, 'r');
  try {
    const header = await readSpan(file, { offset: 0, bytes: headerBytes });
    return entries.map(({ offset, bytes }) => header.subarray(offset, offset + bytes));
  } catch (error) {
    throw withName(error, name);
  } finally {
    await file.close();
  }
}

async function* copyPlan(
  { header, sources, bytes }: MergePlan,
  { signal, onProgress }: MergeOptions,
): AsyncGenerator<Buffer> {
  let done = 0;
  const counted = (chunk: Buffer): Buffer => {
    done += chunk.length;
    onProgress?.(done, bytes);
    return chunk;
  };
  checkSignal(signal);
  yield counted(header);
  for (const source of sources) {
    for await (const chunk of copySource(source)) {
      checkSignal(signal);
      yield counted(chunk);
    }
  }
}

const blockBytes = 2 ** 20;

async function* copySource({ path, name, pieces }: MergeSource): AsyncGenerator<Buffer> {
  if (pieces.length === 0) return;
  const file = await open(path, 'r');
  try {
    for (const { offset, bytes, padding } of pieces) {
      for (let done = 0; done < bytes; done += blockBytes) {
        // Not reused: the consumer may still be writing the previous buffer.
        yield await readSpan(file, { offset: offset + done, bytes: Math.min(blockBytes, bytes - done) });
      }
      if (padding > 0) yield Buffer.alloc(padding);
    }
  } catch (error) {
    throw withName(error, name);
  } finally {
    await file.close();
  }
}

function withName(error: unknown, name: string): unknown {
  return error instanceof HearthError ? new HearthError(error.code, `${name}: ${error.message}`) : error;
}

function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw requestCanceled();
}
