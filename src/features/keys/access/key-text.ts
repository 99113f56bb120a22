// The text of a key: hearth_<id>_<secret>. The id finds the key, so that only one hash has to be compared.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const idBytes = 8;
const secretBytes = 32;
const pattern = /^hearth_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

export const newKeyId = (): string => randomBytes(idBytes).toString('hex');
export const newSecret = (): string => randomBytes(secretBytes).toString('base64url');

export function formatKey({ id, secret }: KeyParts): string {
  return `hearth_${id}_${secret}`;
}

/** Undefined if the text is not a key of this server. */
export function parseKey(text: string): KeyParts | undefined {
  const [, id, secret] = pattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** A fast hash is enough: the secret has 256 random bits and cannot be guessed from a list (docs/adr/0039). */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

const noHash = '0'.repeat(64);

/** Takes the same time whether or not there is a hash to compare with. */
export function matchesHash(secret: string, hash: string | undefined): boolean {
  const equal = timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash ?? noHash));
  return equal && hash !== undefined;
}
