// SHA-256 digests as stores and registries write them: `sha256:` and 64 lowercase hex digits.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { HearthError } from './errors.ts';

declare const brand: unique symbol;
export type Digest = `sha256:${string}` & { readonly [brand]: true };

/** Accepts both separators: `sha256:…` (wire) and `sha256-…` (file names). */
export function parseDigest(text: string): Digest {
  const hex = /^sha256[:-]([0-9a-fA-F]{64})$/.exec(text)?.[1];
  if (hex === undefined) throw new HearthError('bad_request', 'invalid digest format');
  return `sha256:${hex.toLowerCase()}` as Digest;
}

export function hexOf(digest: Digest): string {
  return digest.slice('sha256:'.length);
}

export function digestOf(content: string | Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(content).digest('hex')}` as Digest;
}

export async function digestOfFile(path: string): Promise<Digest> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}` as Digest;
}
