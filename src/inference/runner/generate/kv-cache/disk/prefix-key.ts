// Identifies everything that determines a snapshot besides the tokens. Another key never matches.

import { createHash } from 'node:crypto';
import type { LoadPlan } from '../../../load/load-params.ts';

interface PrefixKeySources extends Pick<LoadPlan, 'cacheTypes' | 'flashAttention'> {
  /** Digests of weights, adapters and projector. */
  readonly weights: string;
  /** Name and version of llama.cpp and its build. */
  readonly engine: string;
  /** Whether the context is longer than the one that its position encoding was made for: some models then use other
   * factors for all positions. */
  readonly extendedContext: boolean;
}

/** Changes with the contents of files, so that older ones do not match. */
const formatVersion = 1;

export function toPrefixKey(parts: PrefixKeySources): string {
  const { weights, engine, cacheTypes, flashAttention, extendedContext } = parts;
  return hashOf([formatVersion, weights, engine, cacheTypes.keys, cacheTypes.values, flashAttention, extendedContext]);
}

export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Identifies the tokens and who may share them. */
export function hashOfTokens(tokens: Int32Array, partition: string): string {
  const bytes = Buffer.from(tokens.buffer, tokens.byteOffset, tokens.byteLength);
  return createHash('sha256').update(partition).update('\0').update(bytes).digest('hex');
}
