// TLS from end to end: a certificate of `hearth cert create`, the server and a registry that use it, and their clients.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hearth } from '../support/command.ts';
import { startRegistry, type TestRegistry } from '../support/registry/team-registry.ts';
import { startServer, type TestServer } from '../support/server.ts';

const home = mkdtempSync(join(tmpdir(), 'hearth-tls-home-'));
const stranger = mkdtempSync(join(tmpdir(), 'hearth-tls-stranger-'));
const file = (name: string): string => join(home, '.hearth/tls', name);
const tls = { HEARTH_TLS_CERT: file('server.pem'), HEARTH_TLS_KEY: file('server-key.pem') };
let server: TestServer;
let registry: TestRegistry;
let created: Awaited<ReturnType<typeof hearth>>;

beforeAll(async () => {
  created = await hearth(['cert', 'create', '--name', 'models.example'], { url: '', environment: { HOME: home } });
  // Every client of the registry needs a certificate.
  const mutual = { ...tls, HEARTH_TLS_CLIENT_CA: file('ca.pem') };
  [server, registry] = await Promise.all([
    startServer({ environment: { HOME: home, ...tls } }),
    startRegistry({ environment: mutual }),
  ]);
});
afterAll(async () => {
  await Promise.all([server?.stop(), registry?.stop()]);
  for (const folder of [home, stranger]) rmSync(folder, { recursive: true, force: true });
});

/** As the user of the server. */
const run = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  hearth(words, { url: server.url, environment: { HOME: home, ...environment } });

describe('hearth cert', () => {
  test('create says what it wrote, how to use it and how to trust it', () => {
    expect(created).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['ca.pem', 'authority/ca-key.pem', 'server.pem', 'server-key.pem'])
      expect(created.stdout).toContain(file(name));
    expect(created.stdout).toMatch(/^names +localhost, .*127\.0\.0\.1, ::1.*models\.example$/m);
    expect(created.stdout).toContain(`tls_cert = "${file('server.pem')}"\n  tls_key = "${file('server-key.pem')}"`);
    expect(created.stdout).toContain(`NODE_EXTRA_CA_CERTS=${file('ca.pem')}`);
  });

  test('show describes it; without one, it says what to do', async () => {
    expect((await run(['cert', 'show'])).stdout).toMatch(/^valid until +\d{4}-\d\d-\d\d \(12 months from now\)$/m);
    const { code, stderr } = await run(['cert', 'show'], { HOME: stranger });
    expect([code, stderr]).toEqual([1, 'Error: there is no certificate: create one with `hearth cert create`\n']);
  });
});

describe('a server with the certificate', () => {
  test('says so at the start', () => {
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(server.stdout()).toContain(`curl --cacert ${file('ca.pem')} ${server.url}/api/generate`);
  });

  test('is trusted by a client of Node that has the authority', async () => {
    const ca = readFileSync(file('ca.pem'));
    const status = await new Promise((resolve, reject) => {
      get(`${server.url}/api/version`, { ca }, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    expect(status).toBe(200);
  });

  const curl = (...args: string[]) => spawnSync('curl', ['--silent', '--noproxy', '*', ...args], { encoding: 'utf8' });
  const hasCurl = curl('--version').status === 0;
  if (!hasCurl) console.warn('skipped: curl is not installed');
  test.skipIf(!hasCurl)('is trusted by curl with the authority, and refused without it', () => {
    const trusted = curl('--cacert', file('ca.pem'), `${server.url}/api/version`);
    expect(JSON.parse(trusted.stdout)).toHaveProperty('version');
    // "peer certificate cannot be authenticated"
    expect(curl(`${server.url}/api/version`).status).toBe(60);
    const plain = curl(`${server.url.replace('https:', 'http:')}/api/version`);
    expect(JSON.parse(plain.stdout).error).toContain('use https://');
  });

  test('is used by commands of its user, also if the address has no scheme', async () => {
    expect((await run(['list'])).stdout).toContain('ember');
    const withoutScheme = { ...tls, HEARTH_HOST: server.url.replace('https://', '') };
    expect((await run(['list'], withoutScheme)).stdout).toContain('ember');
  });

  test('is used by commands of others only with the authority', async () => {
    const refused = await run(['list'], { HOME: stranger });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('set HEARTH_TLS_CA to the PEM file of its authority');
    expect((await run(['list'], { HOME: stranger, HEARTH_TLS_CA: file('ca.pem') })).stdout).toContain('ember');
  });

  test.each([
    [{ HEARTH_TLS_KEY: file('authority/ca-key.pem') }, 'does not belong to the first certificate'],
    [{ HEARTH_TLS_KEY: '' }, 'TLS needs HEARTH_TLS_CERT and HEARTH_TLS_KEY'],
    [{ HEARTH_TLS_CA: join(stranger, 'absent.pem') }, 'absent.pem: no such file'],
  ])('does not start with %j', async (environment, message) => {
    const store = { HEARTH_MODELS: join(stranger, 'models') };
    const { code, stderr } = await run(['serve'], { ...tls, HEARTH_HOST: '127.0.0.1:0', ...store, ...environment });
    expect(code).toBe(1);
    expect(stderr).toContain(`Error: `);
    expect(stderr).toContain(message);
  });
});

describe('a registry with mutual TLS', () => {
  const name = (): string => `${registry.host}/ann/pirate`;

  test('takes a push and serves a pull of a server that trusts it and has a certificate', async () => {
    expect(registry.url).toMatch(/^https:/);
    registry.register((await run(['key'])).stdout.trim());
    const modelfile = join(home, 'Modelfile');
    writeFileSync(modelfile, 'FROM ember\nSYSTEM Talk like a pirate.\n');
    expect((await run(['create', name(), '-f', modelfile])).code).toBe(0);
    expect(await run(['push', name()])).toMatchObject({ code: 0 });
    expect((await run(['rm', name()])).code).toBe(0);
    expect(await run(['pull', name()])).toMatchObject({ code: 0 });
    expect((await run(['show', name(), '--system'])).stdout).toContain('pirate');
  });

  test('refuses a client without a certificate', async () => {
    const ca = readFileSync(file('ca.pem'));
    const asked = new Promise((resolve, reject) => {
      get(`${registry.url}/v2/`, { ca }, resolve).on('error', reject);
    });
    await expect(asked).rejects.toMatchObject({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' });
    await expect.poll(registry.log).toContain('the client has no certificate');
  });
});
