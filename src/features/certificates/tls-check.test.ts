import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { ownTlsFiles } from '../../base/config/own-tls-files.ts';
import type { CheckContext } from '../check.ts';
import { createCertificate } from './create-certificate.ts';
import { tlsCheck } from './tls-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const clock = createFakeClock();
const files = ownTlsFiles(folder);

const check = (tlsCert: string, tlsKey: string) => {
  const context = { clock, settings: { tlsCert, tlsKey, tlsClientCa: '' } } as unknown as CheckContext;
  return tlsCheck.run(context, new AbortController().signal);
};

test('no certificate and a good one are ok, one that expires soon is a warning', async () => {
  expect(await check('', '')).toEqual([{ status: 'ok', text: 'not used' }]);
  await createCertificate({ names: [], days: 90 }, { files, machine: { hostname: 'a', addresses: [] }, clock });
  expect(await check(files.cert, files.key)).toEqual([
    { status: 'ok', text: 'the certificate and its key can be used' },
  ]);
  clock.advance(88 * 86_400_000);
  expect(await check(files.cert, files.key)).toMatchObject([{ status: 'warning' }]);
});

test('a certificate that cannot be used is a problem', async () => {
  expect(await check(join(folder, 'missing.pem'), files.key)).toMatchObject([
    { status: 'problem', text: expect.stringContaining('missing.pem') },
  ]);
});
