import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { generatePrivateKey } from './private-key.ts';
import { formatPublicKey, parsePublicKey, toPublicBlob, verifySignature } from './public-key.ts';

const key = generatePrivateKey('user at work');
const line = formatPublicKey(key.publicKey);

describe('a public key', () => {
  it('is a line of three fields; the comment may contain spaces or be missing', () => {
    expect(line).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43} user at work$/);
    expect(parsePublicKey(line)).toEqual(key.publicKey);
    expect(parsePublicKey(` ${line.split(' ').slice(0, 2).join('\t')}\r\n`)).toEqual({ ...key.publicKey, comment: '' });
  });

  it('of another type, of the wrong length or with trailing data is rejected', () => {
    const blob = toPublicBlob(key.publicKey);
    const withBlob = (bytes: Buffer): string => `ssh-ed25519 ${bytes.toString('base64')}`;
    for (const text of [
      '',
      'ssh-ed25519',
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==',
      'ssh-ed25519 !!!!',
      withBlob(blob.subarray(0, -1)),
      withBlob(Buffer.concat([blob, Buffer.from([0])])),
      withBlob(Buffer.from([255, 255, 255, 255])),
      `ssh-ed25519 ${'A'.repeat(10_000)}`,
    ])
      expect(() => parsePublicKey(text), text.slice(0, 60)).toThrow(HearthError);
  });

  it('verification returns false for random keys and signatures and never throws', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(bytes(32), bytes(64), (point, signature) => {
        expect(verifySignature({ bytes: Buffer.from(point), comment: '' }, Buffer.from('text'), signature)).toBe(false);
      }),
    );
    expect(verifySignature(key.publicKey, Buffer.from('text'), key.sign(Buffer.from('text')).subarray(1))).toBe(false);
    expect(verifySignature(key.publicKey, Buffer.from('text'), key.sign(Buffer.from('other')))).toBe(false);
  });
});
