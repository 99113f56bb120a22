// The public half of a key: what a library registers, and what signatures are checked with.
//
//   line = "ssh-ed25519" blank base64(blob) [ blank comment ]
//   blob = string "ssh-ed25519", string of the 32 bytes of the key

import { createPublicKey, verify } from 'node:crypto';
import { HearthError } from '../../base/errors.ts';
import { createSshReader, sshString } from './ssh-wire.ts';

export interface PublicKey {
  /** 32 bytes. */
  readonly bytes: Buffer;
  readonly comment: string;
}

export const keyType = 'ssh-ed25519';
export const publicKeyBytes = 32;
const signatureBytes = 64;
/** Names of other kinds of keys are longer than ours, but not much. */
export const maxKeyType = 64;
export const maxComment = 1024;
// A blob is 51 bytes; the largest of other kinds, which get a sentence of their own, have a few hundred.
const maxBlobText = 4096;

export function parsePublicKey(line: string): PublicKey {
  const [, type, text, comment = ''] = /^\s*(\S+)[ \t]+(\S+)(?:[ \t]+(.*?))?\s*$/.exec(line) ?? [];
  if (type === undefined || text === undefined || line.length > maxBlobText + maxComment)
    throw new HearthError('bad_key', 'not a public key: a line such as "ssh-ed25519 AAAA… name" is expected');
  if (type !== keyType) throw new HearthError('bad_key', `keys of the kind ${type} cannot be used, only ${keyType}`);
  return { ...parsePublicBlobText(text), comment };
}

/** As the second word of the line has it, which is also how it travels. */
export function parsePublicBlobText(text: string): PublicKey {
  if (text.length > maxBlobText || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new HearthError('bad_key', 'the public key is not in base64');
  return parsePublicBlob(Buffer.from(text, 'base64'));
}

export function parsePublicBlob(blob: Buffer): PublicKey {
  const reader = createSshReader(blob);
  const type = reader.string(maxKeyType).toString('latin1');
  if (type !== keyType)
    throw new HearthError('bad_key', `keys of the kind ${JSON.stringify(type)} cannot be used, only ${keyType}`);
  const bytes = Buffer.from(reader.string(publicKeyBytes));
  if (bytes.length !== publicKeyBytes || reader.rest().length > 0)
    throw new HearthError('bad_key', 'the public key does not have the length that it should have');
  return { bytes, comment: '' };
}

export function toPublicBlob({ bytes }: PublicKey): Buffer {
  return Buffer.concat([sshString(keyType), sshString(bytes)]);
}

export function toPublicBlobText(key: PublicKey): string {
  return toPublicBlob(key).toString('base64');
}

/** The line to register. */
export function formatPublicKey(key: PublicKey): string {
  return `${keyType} ${toPublicBlobText(key)}${key.comment === '' ? '' : ` ${key.comment}`}`;
}

export function verifySignature({ bytes }: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== signatureBytes) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  try {
    return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  } catch {
    // Thirty-two bytes that are no point of the curve.
    return false;
  }
}
