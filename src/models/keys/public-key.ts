// Public keys: registered with a registry, and used to verify signatures.
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
/** Large enough for the names of other key types. */
export const maxKeyType = 64;
export const maxComment = 1024;
// An ed25519 blob has 51 bytes. Larger keys of other types get an error message that names their type.
const maxBlobText = 4096;

export function parsePublicKey(line: string): PublicKey {
  // The limit comes first, and the pattern gets a text without blanks at its ends: both keep the match short.
  const trimmed = line.length > maxBlobText + maxComment ? '' : line.trim();
  const [, type, text, comment = ''] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(\S.*))?$/.exec(trimmed) ?? [];
  if (type === undefined || text === undefined)
    throw new HearthError('bad_key', 'not a public key: expected a line such as "ssh-ed25519 AAAA… name"');
  if (type !== keyType) throw new HearthError('bad_key', `unsupported key type ${type}, only ${keyType} is supported`);
  return { ...parsePublicBlobText(text), comment };
}

/** The base64 form, as in the second field of the line and on the wire. */
export function parsePublicBlobText(text: string): PublicKey {
  if (text.length > maxBlobText || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new HearthError('bad_key', 'the public key is not valid base64');
  return parsePublicBlob(Buffer.from(text, 'base64'));
}

function parsePublicBlob(blob: Buffer): PublicKey {
  const reader = createSshReader(blob);
  const type = reader.string(maxKeyType).toString('latin1');
  if (type !== keyType)
    throw new HearthError('bad_key', `unsupported key type ${JSON.stringify(type)}, only ${keyType} is supported`);
  const bytes = Buffer.from(reader.string(publicKeyBytes));
  if (bytes.length !== publicKeyBytes || reader.rest().length > 0)
    throw new HearthError('bad_key', 'the public key has the wrong length');
  return { bytes, comment: '' };
}

export function toPublicBlob({ bytes }: PublicKey): Buffer {
  return Buffer.concat([sshString(keyType), sshString(bytes)]);
}

export function toPublicBlobText(key: PublicKey): string {
  return toPublicBlob(key).toString('base64');
}

/** The line to register with a registry. */
export function formatPublicKey(key: PublicKey): string {
  return `${keyType} ${toPublicBlobText(key)}${key.comment === '' ? '' : ` ${key.comment}`}`;
}

export function verifySignature({ bytes }: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== signatureBytes) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  try {
    return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  } catch {
    // The 32 bytes are not a point on the curve.
    return false;
  }
}
