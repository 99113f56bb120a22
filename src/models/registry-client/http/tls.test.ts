// Registries with a private certificate authority, and with mutual TLS.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestAuthority, writeHostCertificate } from '../../../../test/support/certificates.ts';
import { systemClock } from '../../../base/time/clock.ts';
import type { ClientTls } from '../../../base/tls/client-context.ts';
import type { Destination } from './choose-dispatcher.ts';
import { createHttpClient } from './http-client.ts';
import { isPermanentNetworkError, toRegistryError } from './network-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-registry-tls-'));
const authority = createTestAuthority();
const { cert, key } = writeHostCertificate(folder, authority.issue());
const ca = join(folder, 'ca.pem');
writeFileSync(ca, authority.cert);
const none = { ca: '', ownCa: '', nodeCa: '', cert: '', key: '' };

let server: Server;
let url: URL;
beforeAll(async () => {
  server = createServer(
    { ...authority.issue(), ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    ({ socket }, response) => response.end(JSON.stringify((socket as TLSSocket).getPeerCertificate().subject ?? null)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const named: Destination = { kind: 'named', addresses: [{ address: '127.0.0.1', family: 4 }] };

/** The subject of the certificate that the registry saw. */
async function ask(tls: Partial<ClientTls>, destination = named): Promise<string> {
  const client = createHttpClient({ version: '1', clock: systemClock, tls: { ...none, ...tls } });
  try {
    const { body } = await client.send({ method: 'GET', url, destination, signal: new AbortController().signal });
    let text = '';
    for await (const chunk of body) text += chunk;
    return text;
  } finally {
    await client.close();
  }
}

test.each([{ ca }, { ownCa: ca }, { ca: '', ownCa: ca, nodeCa: join(folder, 'absent.pem') }])(
  'with %j, the registry is trusted',
  async (tls) => {
    expect(await ask(tls)).toBe('null');
  },
);

test('another authority instead of the own one is the only one', async () => {
  const other = join(folder, 'other.pem');
  writeFileSync(other, createTestAuthority().cert);
  await expect(ask({ ca: other, ownCa: ca })).rejects.toThrow();
});

test('without the authority, the registry is refused with the next step, and not tried again', async () => {
  const error = await ask({}).catch((thrown: unknown) => thrown);
  expect(toRegistryError(error, url.origin).message).toContain(
    'its certificate is not from an authority that is trusted here; set HEARTH_TLS_CA',
  );
  expect(isPermanentNetworkError(error)).toBe(true);
});

test('the certificate of this machine is shown to the registry that the caller named, and to no other host', async () => {
  expect(await ask({ ca, cert, key })).toBe('{"CN":"localhost"}');
  expect(await ask({ ca, cert, key }, { kind: 'referred', reach: 'loopback' })).toBe('null');
});
