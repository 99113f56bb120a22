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
const armor = (bytes: Buffer): string =>
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;

describe('a private key', () => {
  it('survives a round trip with comments of any length', () => {
    for (let length = 0; length < 10; length++) {
      const key = generatePrivateKey('x'.repeat(length));
      const parsed = parsePrivateKey(formatPrivateKey(key));
      expect(parsed.publicKey).toEqual(key.publicKey);
      expect(parsed.seed).toEqual(key.seed);
      expect(verifySignature(key.publicKey, Buffer.from('text'), parsed.sign(Buffer.from('text')))).toBe(true);
    }
  });

  it('is parsed with CRLF line ends', () => {
    const key = generatePrivateKey('c');
    expect(parsePrivateKey(formatPrivateKey(key).replaceAll('\n', '\r\n')).publicKey).toEqual(key.publicKey);
  });

  it('that is truncated or has a changed byte is rejected with `bad_key` or is the same key', () => {
    const key = generatePrivateKey('hearth');
    const valid = bytesOf(formatPrivateKey(key));
    const check = (bytes: Buffer): void => {
      try {
        expect(parsePrivateKey(armor(bytes)).publicKey.bytes).toEqual(key.publicKey.bytes);
      } catch (error) {
        expect((error as HearthError).code).toBe('bad_key');
      }
    };
    for (let length = 0; length < valid.length; length++)
      expect(() => parsePrivateKey(armor(valid.subarray(0, length)))).toThrow(HearthError);
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
        const bytes = Buffer.from(valid);
        bytes[index] = (bytes[index] as number) ^ change;
        check(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  it('with the public key of another is rejected', () => {
    const [one, other] = [generatePrivateKey(''), generatePrivateKey('')];
    const text = formatPrivateKey({ ...one, publicKey: other.publicKey });
    expect(() => parsePrivateKey(text)).toThrow('does not match its private key');
  });

  it('is rejected if it is any other text', () => {
    for (const text of [
      '',
      'x',
      '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n',
      armor(Buffer.alloc(9)),
    ])
      expect(() => parsePrivateKey(text)).toThrow(HearthError);
  });
});

describe.skipIf(!installed)('compatibility with ssh-keygen', () => {
  it('ssh-keygen reads our key and prints the same public key', () => {
    const key = generatePrivateKey('hearth');
    const path = join(folder, 'ours');
    writeFileSync(path, formatPrivateKey(key), { mode: 0o600 });
    const { stdout, stderr } = sshKeygen('-y', '-f', path);
    expect(stderr).toBe('');
    expect(stdout.trim()).toBe(formatPublicKey(key.publicKey));
  });

  it('a key made by ssh-keygen is parsed', () => {
    const path = join(folder, 'theirs');
    sshKeygen('-t', 'ed25519', '-N', '', '-C', 'user@host', '-f', path);
    const key = parsePrivateKey(readFileSync(path, 'utf8'));
    expect(formatPublicKey(key.publicKey)).toBe(readFileSync(`${path}.pub`, 'utf8').trim());
  });

  it('a key with a passphrase or of another type is rejected with the reason', () => {
    sshKeygen('-t', 'ed25519', '-N', 'secret', '-a', '1', '-f', join(folder, 'locked'));
    expect(() => parsePrivateKey(readFileSync(join(folder, 'locked'), 'utf8'))).toThrow('protected by a passphrase');
    sshKeygen('-t', 'ecdsa', '-N', '', '-f', join(folder, 'ecdsa'));
    expect(() => parsePrivateKey(readFileSync(join(folder, 'ecdsa'), 'utf8'))).toThrow('only ssh-ed25519');
  });
});
