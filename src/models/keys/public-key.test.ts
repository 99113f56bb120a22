import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { generatePrivateKey } from './private-key.ts';
import { formatPublicKey, parsePublicKey, toPublicBlob, verifySignature } from './public-key.ts';

const key = generatePrivateKey('somebody at work');
const line = formatPublicKey(key.publicKey);

describe('a public key', () => {
  it('is a line with three words, the last of which may have blanks or be missing', () => {
    expect(line).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43} somebody at work$/);
    expect(parsePublicKey(line)).toEqual(key.publicKey);
    expect(parsePublicKey(` ${line.split(' ').slice(0, 2).join('\t')}\r\n`)).toEqual({ ...key.publicKey, comment: '' });
  });

  it('of another kind, of another length or with anything behind it is refused', () => {
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

  it('says of any thirty-two bytes and any signature only yes or no', () => {
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
