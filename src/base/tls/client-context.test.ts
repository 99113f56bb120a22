import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createTestAuthority, writeHostCertificate } from '../../../test/support/certificates.ts';
import { createClientContext, readAuthorities } from './client-context.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-trust-'));
afterAll(() => rmSync(folder, { recursive: true }));
const authority = createTestAuthority();
const ownCa = join(folder, 'ca.pem');
writeFileSync(ownCa, authority.cert, { mode: 0o600 });
const absent = join(folder, 'absent.pem');
const none = { ca: '', ownCa: absent, nodeCa: '', cert: '', key: '' };

test('without files, the defaults of Node apply', async () => {
  expect(await createClientContext(none, { showsCertificate: true })).toBeUndefined();
});

test("the user's own authority is trusted", async () => {
  expect(await readAuthorities({ ca: '', ownCa })).toBe(authority.cert);
});

test.skipIf(process.platform === 'win32')('an authority that other users can write is not trusted', async () => {
  chmodSync(ownCa, 0o620);
  expect(await readAuthorities({ ca: '', ownCa })).toBeUndefined();
  chmodSync(ownCa, 0o600);
});

test('a named authority must be readable', async () => {
  await expect(readAuthorities({ ca: absent, ownCa })).rejects.toThrow('absent.pem: no such file');
  const text = join(folder, 'text.pem');
  writeFileSync(text, 'hello');
  await expect(readAuthorities({ ca: text, ownCa })).rejects.toThrow('has no certificate');
});

test('a certificate is shown only on request, and not if its key cannot be read', async () => {
  const paths = writeHostCertificate(folder, authority.issue());
  const shows = async (tls: object, showsCertificate: boolean) =>
    (await createClientContext({ ...none, ...tls }, { showsCertificate })) !== undefined;
  expect(await shows(paths, true)).toBe(true);
  expect(await shows(paths, false)).toBe(false);
  expect(await shows({ ...paths, key: absent }, true)).toBe(false);
});
