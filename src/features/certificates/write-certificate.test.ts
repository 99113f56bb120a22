import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { type CertificateName, parseCertificateName } from './certificate-names.ts';
import { type CertificateFields, writeCertificate } from './write-certificate.ts';

const authorityKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const hostKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const issuer = { subject: 'Büro CA', ...authorityKeys };
const notBefore = Date.UTC(2030, 0, 1);
const notAfter = Date.UTC(2060, 0, 1);
const common = { serial: Buffer.of(0xff, 1), notBefore, notAfter };

function write(fields: Partial<CertificateFields>): X509Certificate {
  const { publicKey } = authorityKeys;
  const defaults = { ...common, subject: issuer.subject, publicKey };
  return new X509Certificate(writeCertificate({ ...defaults, ...fields }, issuer));
}

test('an authority signs itself', () => {
  const authority = write({});
  expect(authority.ca).toBe(true);
  expect(authority.verify(authorityKeys.publicKey)).toBe(true);
  expect(authority.checkIssued(authority)).toBe(true);
  expect([authority.subject, authority.serialNumber]).toEqual(['CN=Büro CA', 'FF01']);
  expect([authority.validFrom, authority.validTo].map(Date.parse)).toEqual([notBefore, notAfter]);
});

test('a host has its names, its key and the signature of the authority', () => {
  const names = ['a.example', '*.lan.example', '192.168.1.2', '::1', '::ffff:1.2.3.4'].map(
    (name) => parseCertificateName(name) as CertificateName,
  );
  const host = write({ subject: 'a.example', publicKey: hostKeys.publicKey, names });
  expect(host.ca).toBe(false);
  expect(host.checkIssued(write({}))).toBe(true);
  expect(host.verify(authorityKeys.publicKey)).toBe(true);
  expect(host.verify(hostKeys.publicKey)).toBe(false);
  expect(host.checkPrivateKey(hostKeys.privateKey)).toBe(true);
  expect([host.checkHost('a.example'), host.checkHost('b.lan.example')]).toEqual(['a.example', '*.lan.example']);
  expect(host.checkHost('b.example')).toBeUndefined();
  expect(['192.168.1.2', '::1', '::ffff:1.2.3.4', '::2'].map((address) => host.checkIP(address))).toEqual([
    '192.168.1.2',
    '::1',
    '::ffff:1.2.3.4',
    undefined,
  ]);
  // TLS servers and clients.
  expect(host.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
});

test('a long subject is cut to what the specification allows', () => {
  expect(write({ subject: 'ü'.repeat(100) }).subject).toBe(`CN=${'ü'.repeat(64)}`);
});

test.each([
  [[0xff, 1], 'FF01'],
  [[0, 0, 5], '05'],
  [[0x7f, 0], '7F00'],
])('the serial number %j is positive and has its shortest form', (bytes, serial) => {
  expect(write({ serial: Buffer.from(bytes) }).serialNumber).toBe(serial);
});
