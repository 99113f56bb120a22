import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { formatPrivateKey, generatePrivateKey, parsePrivateKey } from './private-key.ts';
import { formatPublicKey, verifySignature } from './public-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sshKeygen = (...args: string[]) => spawnSync('ssh-keygen', args, { encoding: 'utf8' });
const installed = sshKeygen('-?').error === undefined;
const bytesOf = (text: string): Buffer => Buffer.from(text.split('\n').slice(1, -2).join(''), 'base64');
const armour = (bytes: Buffer): string =>
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;

describe('a private key', () => {
  it('is the same after it was written and read, with comments of every length', () => {
    for (let length = 0; length < 10; length++) {
      const key = generatePrivateKey('x'.repeat(length));
      const again = parsePrivateKey(formatPrivateKey(key));
      expect(again.publicKey).toEqual(key.publicKey);
      expect(again.seed).toEqual(key.seed);
      expect(verifySignature(key.publicKey, Buffer.from('text'), again.sign(Buffer.from('text')))).toBe(true);
    }
  });

  it('is read with the line ends of another system', () => {
    const key = generatePrivateKey('c');
    expect(parsePrivateKey(formatPrivateKey(key).replaceAll('\n', '\r\n')).publicKey).toEqual(key.publicKey);
  });

  it('that was cut anywhere, or has a byte changed, is refused with a sentence or is the same key', () => {
    const key = generatePrivateKey('hearth');
    const whole = bytesOf(formatPrivateKey(key));
    const tryOne = (bytes: Buffer): void => {
      try {
        expect(parsePrivateKey(armour(bytes)).publicKey.bytes).toEqual(key.publicKey.bytes);
      } catch (error) {
        expect((error as HearthError).code).toBe('bad_key');
      }
    };
    for (let length = 0; length < whole.length; length++)
      expect(() => parsePrivateKey(armour(whole.subarray(0, length)))).toThrow(HearthError);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
        const bytes = Buffer.from(whole);
        bytes[index] = (bytes[index] as number) ^ change;
        tryOne(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  it('with the public half of another is refused', () => {
    const [one, other] = [generatePrivateKey(''), generatePrivateKey('')];
    const text = formatPrivateKey({ ...one, publicKey: other.publicKey });
    expect(() => parsePrivateKey(text)).toThrow('do not belong together');
  });

  it('is not any text', () => {
    for (const text of [
      '',
      'x',
      '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n',
      armour(Buffer.alloc(9)),
    ])
      expect(() => parsePrivateKey(text)).toThrow(HearthError);
  });
});

describe.skipIf(!installed)('beside ssh-keygen', () => {
  it('a key of ours is read by it, and it prints the same public half', () => {
    const key = generatePrivateKey('hearth');
    const path = join(folder, 'ours');
    writeFileSync(path, formatPrivateKey(key), { mode: 0o600 });
    const { stdout, stderr } = sshKeygen('-y', '-f', path);
    expect(stderr).toBe('');
    expect(stdout.trim()).toBe(formatPublicKey(key.publicKey));
  });

  it('a key of its making is read by us', () => {
    const path = join(folder, 'theirs');
    sshKeygen('-t', 'ed25519', '-N', '', '-C', 'somebody@somewhere', '-f', path);
    const key = parsePrivateKey(readFileSync(path, 'utf8'));
    expect(formatPublicKey(key.publicKey)).toBe(readFileSync(`${path}.pub`, 'utf8').trim());
  });

  it('a key with a passphrase, and one of another kind, are refused with their reason', () => {
    sshKeygen('-t', 'ed25519', '-N', 'secret', '-a', '1', '-f', join(folder, 'locked'));
    expect(() => parsePrivateKey(readFileSync(join(folder, 'locked'), 'utf8'))).toThrow('protected by a passphrase');
    sshKeygen('-t', 'ecdsa', '-N', '', '-f', join(folder, 'ecdsa'));
    expect(() => parsePrivateKey(readFileSync(join(folder, 'ecdsa'), 'utf8'))).toThrow('only ssh-ed25519');
  });
});
