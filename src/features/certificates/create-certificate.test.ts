import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import { type OwnTlsFiles, ownTlsFiles } from '../../base/config/own-tls-files.ts';
import { readTlsFiles } from '../../base/tls/tls-files.ts';
import { type CertificateRequest, createCertificate, showCertificate } from './create-certificate.ts';

const day = 86_400_000;
const machine = { hostname: 'workshop', addresses: ['192.168.1.20'] };
let root: string;
let files: OwnTlsFiles;
let clock: FakeClock;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hearth-cert-'));
  files = ownTlsFiles(join(root, 'tls'));
  clock = createFakeClock();
});
afterEach(() => rmSync(root, { recursive: true }));

const create = (request: Partial<CertificateRequest> = {}, addresses = machine.addresses) =>
  createCertificate({ names: [], days: 365, ...request }, { files, machine: { ...machine, addresses }, clock });
const read = (path: string): X509Certificate => new X509Certificate(readFileSync(path));

test('the first certificate comes with an authority that signs it', async () => {
  const created = await create({ names: ['models.example'], days: 90 });
  expect(created.isNewAuthority).toBe(true);
  expect(created.names).toEqual([
    'localhost',
    'workshop',
    'workshop.local',
    '127.0.0.1',
    '::1',
    '192.168.1.20',
    'models.example',
  ]);
  expect(created.notAfter).toBe(clock.now() + 90 * day);
  const [authority, certificate] = [read(files.ca), read(files.cert)];
  expect([authority.ca, certificate.ca]).toEqual([true, false]);
  expect(certificate.verify(authority.publicKey)).toBe(true);
  expect(created.authorityFingerprint).toBe(authority.fingerprint256);
  expect((await readTlsFiles(files, clock.now())).warnings).toEqual([]);
  expect(await showCertificate(files)).toEqual({ ...created, isNewAuthority: undefined });
});

test.skipIf(process.platform === 'win32')('only this user can read the files', async () => {
  await create();
  for (const path of [files.ca, files.caKey, files.cert, files.key]) expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const folder of [files.folder, join(files.caKey, '..')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a renewed certificate has the same authority, the given names, and the addresses of today', async () => {
  await create({ names: ['models.example', '203.0.113.7'] });
  const [authority, key] = [readFileSync(files.ca, 'utf8'), readFileSync(files.key, 'utf8')];
  clock.advance(300 * day);
  const renewed = await create({ names: ['other.example'] }, ['192.168.1.99']);
  expect(renewed.isNewAuthority).toBe(false);
  expect(readFileSync(files.ca, 'utf8')).toBe(authority);
  expect(readFileSync(files.key, 'utf8')).not.toBe(key);
  expect(renewed.names).toEqual(expect.arrayContaining(['models.example', 'other.example', '192.168.1.99']));
  expect(renewed.names).not.toContain('192.168.1.20');
  expect(renewed.notAfter).toBe(clock.now() + 365 * day);
  expect(read(files.cert).verify(read(files.ca).publicKey)).toBe(true);
});

test('a certificate does not outlive its authority, and an expired authority is an error', async () => {
  await create();
  clock.advance(9.9 * 365.25 * day);
  expect((await create({ days: 825 })).notAfter).toBe(Date.parse(read(files.ca).validTo));
  clock.advance(365 * day);
  await expect(create()).rejects.toThrow(/has expired on .* remove .* clients must then trust the new authority/);
});

test('an authority with a missing or wrong key is an error', async () => {
  await create();
  writeFileSync(files.caKey, readFileSync(files.key));
  await expect(create()).rejects.toThrow('does not belong to');
  rmSync(files.caKey);
  await expect(create()).rejects.toThrow(`${files.caKey} is missing`);
});

test.each([
  [{ names: ['a b'] }, '"a b" is not a host name or an address'],
  [{ names: ['https://a.example'] }, 'is not a host name'],
  [{ days: 0 }, '1 to 825 days'],
  [{ days: 826 }, '1 to 825 days'],
  [{ days: Number.NaN }, '1 to 825 days'],
  [{ names: Array.from({ length: 100 }, (_, index) => `a${index}.example`) }, 'can have 100 names'],
])('%j is refused, and nothing is written', async (request, message) => {
  await expect(create(request)).rejects.toThrow(message);
  expect(await showCertificate(files)).toBeUndefined();
});
