// Private keys in OpenSSH's format, without a passphrase. The base64 text between the begin and end lines encodes
//
//   "openssh-key-v1" 0x00
//   string  cipher            "none"
//   string  kdf               "none"
//   string  options of the kdf
//   u32     number of keys    1
//   string  public key        (see public-key.ts)
//   string  private part:
//     u32     check           a random number,
//     u32     check           repeated, to verify a passphrase
//     string  "ssh-ed25519"
//     string  public key      32 bytes
//     string  private key     64 bytes: the seed and the public key
//     string  comment
//     bytes   1, 2, 3 …       up to a multiple of 8
//
// Numbers are big-endian; a string is a u32 length followed by that many bytes.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { HearthError } from '../../base/errors.ts';
import { keyType, maxComment, maxKeyType, type PublicKey, publicKeyBytes, toPublicBlob } from './public-key.ts';
import { createSshReader, type SshReader, sshString, sshU32 } from './ssh-wire.ts';

export interface PrivateKey {
  readonly publicKey: PublicKey;
  /** 32 bytes, from which both keys are derived. */
  readonly seed: Buffer;
  sign(message: Uint8Array): Buffer;
}

const magic = Buffer.from('openssh-key-v1\0', 'latin1');
const begin = '-----BEGIN OPENSSH PRIVATE KEY-----';
const end = '-----END OPENSSH PRIVATE KEY-----';
const seedBytes = 32;
const blockSize = 8;
const lineLength = 70;
const maxName = 64;
// Large enough for RSA keys, which are rejected with their type in the message.
const maxPart = 16 * 1024;
/** Maximum length of a key file. */
export const maxKeyText = 32 * 1024;

export function generatePrivateKey(comment: string): PrivateKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return fromSeed(Buffer.from(d, 'base64url'), comment);
}

/** Throws `bad_key`. */
export function parsePrivateKey(text: string): PrivateKey {
  const reader = createSshReader(decodeArmor(text));
  if (!reader.take(magic.length).equals(magic)) throw new HearthError('bad_key', 'not an OpenSSH private key');
  rejectEncrypted(reader);
  if (reader.u32() !== 1) throw new HearthError('bad_key', 'the file contains more than one key');
  reader.string(maxPart);
  const key = parsePrivatePart(createSshReader(reader.string(maxPart)));
  if (reader.rest().length > 0) throw new HearthError('bad_key', 'unexpected data after the end of the key');
  return key;
}

function decodeArmor(text: string): Buffer {
  const body = text.trim().replaceAll('\r\n', '\n');
  if (text.length > maxKeyText || !body.startsWith(`${begin}\n`) || !body.endsWith(`\n${end}`))
    throw new HearthError('bad_key', 'not an OpenSSH private key');
  const base64 = body.slice(begin.length, -end.length).replaceAll('\n', '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new HearthError('bad_key', 'its content is not valid base64');
  return Buffer.from(base64, 'base64');
}

function rejectEncrypted(reader: SshReader): void {
  const cipher = reader.string(maxName).toString('latin1');
  const kdf = reader.string(maxName).toString('latin1');
  reader.string(maxPart);
  if (cipher !== 'none' || kdf !== 'none')
    throw new HearthError('bad_key', 'it is protected by a passphrase, which is not supported');
}

function parsePrivatePart(reader: SshReader): PrivateKey {
  const check = reader.u32();
  if (reader.u32() !== check) throw new HearthError('bad_key', 'its check numbers differ');
  const type = reader.string(maxKeyType).toString('latin1');
  if (type !== keyType)
    throw new HearthError('bad_key', `unsupported key type ${JSON.stringify(type)}, only ${keyType} is supported`);
  const publicBytes = reader.string(publicKeyBytes);
  const secret = reader.string(seedBytes + publicKeyBytes);
  if (secret.length !== seedBytes + publicKeyBytes) throw new HearthError('bad_key', 'its private part is too short');
  const comment = reader.string(maxComment).toString('utf8');
  checkPadding(reader.rest());
  const key = fromSeed(secret.subarray(0, seedBytes), comment);
  // A signature made with a mismatched public key would leak the seed.
  const { bytes } = key.publicKey;
  if (!bytes.equals(publicBytes) || !bytes.equals(secret.subarray(seedBytes)))
    throw new HearthError('bad_key', 'its public key does not match its private key');
  return key;
}

function checkPadding(padding: Buffer): void {
  if (padding.length >= blockSize || padding.some((byte, index) => byte !== index + 1))
    throw new HearthError('bad_key', 'its padding is invalid');
}

/** Ends with a line break. */
export function formatPrivateKey({ publicKey, seed }: PrivateKey): string {
  const check = sshU32(randomBytes(4).readUInt32BE());
  const secret = Buffer.concat([
    ...[check, check],
    sshString(keyType),
    sshString(publicKey.bytes),
    sshString(Buffer.concat([seed, publicKey.bytes])),
    sshString(publicKey.comment),
  ]);
  const missing = (blockSize - (secret.length % blockSize)) % blockSize;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  const bytes = Buffer.concat([
    magic,
    ...['none', 'none', ''].map(sshString),
    sshU32(1),
    sshString(toPublicBlob(publicKey)),
    sshString(Buffer.concat([secret, padding])),
  ]);
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return [begin, ...lines, end, ''].join('\n');
}

// A PKCS #8 ed25519 key is this fixed prefix followed by the seed.
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function fromSeed(bytes: Buffer, comment: string): PrivateKey {
  const seed = Buffer.from(bytes);
  const object = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  return {
    publicKey: { bytes: publicBytesOf(object), comment },
    seed,
    sign: (message) => sign(null, message, object),
  };
}

function publicBytesOf(privateKey: KeyObject): Buffer {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}
