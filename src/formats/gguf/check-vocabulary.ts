// Checks the vocabulary of a file without blocking other requests: a large one takes hundreds of milliseconds.

import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type ByteReader, createByteReader } from './byte-reader.ts';
import { ggufLimits } from './limits.ts';
import { arrayType, createTokenCheck, stringType, tokensKey } from './metadata.ts';
import type { ByteSpan, Gguf } from './read-gguf.ts';

const tokensPerTurn = 4096;

/**
 * Throws `bad_request` if a token occurs twice. A vocabulary above the limits is not checked here, but by the process
 * that loads it, which has its own memory.
 */
export async function checkVocabulary(
  path: string,
  { layout }: Pick<Gguf, 'layout'>,
  {
    checkedTokens,
    checkedTokenBytes,
  }: { readonly checkedTokens: number; readonly checkedTokenBytes: number } = ggufLimits,
): Promise<void> {
  const entry = layout.entries.get(tokensKey);
  if (entry === undefined || entry.bytes > checkedTokenBytes) return;
  const reader = createByteReader(await readSpan(path, entry), entry.bytes);
  const count = readTokenCount(reader);
  if (count > checkedTokens) return;
  const check = createTokenCheck();
  for (let index = 0; index < count; index++) {
    check(reader.take(reader.u64()), index);
    if ((index + 1) % tokensPerTurn === 0) await setImmediate();
  }
}

/** Reads up to the first token. Zero if the entry is not an array of strings. */
function readTokenCount(reader: ByteReader): number {
  reader.skip(reader.u64());
  const isStringArray = reader.u32() === arrayType && reader.u32() === stringType;
  return isStringArray ? reader.u64() : 0;
}

async function readSpan(path: string, { offset, bytes }: ByteSpan): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
