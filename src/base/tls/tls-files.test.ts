import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestAuthority, writeHostCertificate } from '../../../test/support/certificates.ts';
import { readTlsFiles, toTlsPaths } from './tls-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const authority = createTestAuthority();
const now = Date.now();
const day = 86_400_000;

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

describe('toTlsPaths', () => {
  const none = { tlsCert: '', tlsKey: '', tlsClientCa: '' };
  test('a Unix socket has none', () => {
    expect(toTlsPaths({ ...none, host: { socket: '/run/h.sock' } })).toBeUndefined();
    const given = { ...none, tlsCert: '/a.pem', tlsKey: '/b.pem', host: { socket: '/run/h.sock' } };
    expect(() => toTlsPaths(given)).toThrow('a Unix socket has no TLS: unset HEARTH_TLS_CERT');
  });

  test('without settings, there is no TLS', () => {
    expect(toTlsPaths(none)).toBeUndefined();
  });
  test.each(['tlsCert', 'tlsKey', 'tlsClientCa'])('%s alone is an error', (name) => {
    expect(() => toTlsPaths({ ...none, [name]: '/a.pem' })).toThrow('needs HEARTH_TLS_CERT and HEARTH_TLS_KEY');
  });
  test('authorities for clients are optional', () => {
    const paths = { tlsCert: '/a.pem', tlsKey: '/b.pem', tlsClientCa: '' };
    expect(toTlsPaths(paths)).toEqual({ cert: '/a.pem', key: '/b.pem' });
    expect(toTlsPaths({ ...paths, tlsClientCa: '/c.pem' })).toEqual({
      cert: '/a.pem',
      key: '/b.pem',
      clientCa: '/c.pem',
    });
  });
});

test('a certificate with its key and authorities for clients', async () => {
  const clientCa = write('client-ca.pem', `a comment\n${authority.cert}${createTestAuthority().cert}`);
  const paths = writeHostCertificate(folder, authority.issue());
  const files = await readTlsFiles({ ...paths, clientCa }, now);
  expect(files.clientCa).toContain('a comment');
  expect(files.warnings).toEqual([]);
});

describe('files that cannot be used are named', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const good = writeHostCertificate(folder, authority.issue());
  const encrypted = other.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }) as string;
  const certText = authority.cert;
  test.each([
    [{ ...good, cert: join(folder, 'absent.pem') }, 'absent.pem: no such file'],
    [{ ...good, cert: folder }, 'it is not a file'],
    [{ ...good, cert: write('large.pem', 'x'.repeat(2 ** 20 + 1)) }, 'larger than'],
    [{ ...good, cert: write('text.pem', 'hello') }, 'text.pem has no certificate in the PEM format'],
    [{ ...good, cert: write('cut.pem', certText.slice(0, 200)) }, 'cut.pem has no certificate'],
    [{ ...good, cert: write('bad.pem', certText.replace(/\n[^\n]{64}\n/, '\n')) }, 'a certificate in'],
    [{ ...good, key: good.cert }, 'has no private key in the PEM format'],
    [{ ...good, key: write('locked.pem', encrypted) }, 'locked.pem has a passphrase'],
    [
      { ...good, key: write('other.pem', other.export({ type: 'pkcs8', format: 'pem' }) as string) },
      'does not belong to the first certificate',
    ],
    [{ ...good, clientCa: write('empty.pem', '') }, 'empty.pem has no certificate'],
  ])('%j', async (paths, message) => {
    await expect(readTlsFiles(paths, now)).rejects.toThrow(message);
    await expect(readTlsFiles(paths, now)).rejects.toMatchObject({ code: 'bad_configuration' });
  });
});

test.each([
  [now - 2 * day, now - day, 'has expired'],
  [now + day, now + 100 * day, 'is not valid before'],
  [now - day, now + 13.5 * day, 'expires in 13 days'],
])('a certificate from %d to %d is used with a warning', async (notBefore, notAfter, warning) => {
  const paths = writeHostCertificate(folder, authority.issue({ notBefore, notAfter }));
  expect((await readTlsFiles(paths, now)).warnings).toEqual([expect.stringContaining(warning)]);
});

test.skipIf(process.platform === 'win32')('a key that all users can read is used with a warning', async () => {
  const paths = writeHostCertificate(folder, authority.issue());
  chmodSync(paths.key, 0o644);
  expect((await readTlsFiles(paths, now)).warnings).toEqual([expect.stringContaining('chmod 600')]);
  // A group is a decision of the administrator.
  chmodSync(paths.key, 0o640);
  expect((await readTlsFiles(paths, now)).warnings).toEqual([]);
});
