// `hearth login` and `hearth logout` with the real server and a real OpenID Connect provider: a person confirms the code in a
// browser.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, startBrowser, type TestBrowser } from '../../support/browser.ts';
import { commandEnvironment, hearth, hearthScript } from '../../support/command.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../support/openid-provider.ts';
import { startServer, type TestServer } from '../../support/server.ts';

describe.skipIf(browserPath === undefined)('login', () => {
  const home = mkdtempSync(join(tmpdir(), 'hearth-login-'));
  const credentials = join(home, '.hearth', 'credentials');
  const publicUrl = 'http://127.0.0.1:9';
  let provider: OpenIdProvider;
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    provider = await startOpenIdProvider(publicUrl);
    provider.people.set('anna', { preferred_username: 'anna', groups: ['ml'] });
    provider.people.set('carl', { preferred_username: 'carl', groups: [] });
    server = await startServer({
      environment: {
        HEARTH_KEYS_FILE: join(home, 'keys.json'),
        HEARTH_PUBLIC_URL: publicUrl,
        HEARTH_OIDC_ISSUER: provider.issuer,
        HEARTH_OIDC_CLIENT_ID: provider.clientId,
        HEARTH_OIDC_CLIENT_SECRET: provider.clientSecret,
        HEARTH_OIDC_ADMINS: 'group:ml',
        HEARTH_OIDC_USERS: 'group:staff',
      },
    });
    browser = await startBrowser();
    mkdirSync(join(home, '.hearth'));
    writeFileSync(credentials, '# mine\n["other:1"]\nkey = "abc"\n', { mode: 0o600 });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await provider?.close();
    rmSync(home, { recursive: true });
  });

  const run = (...words: string[]) => hearth(words, { url: server.url, environment: { HOME: home } });

  /** A person confirms the code of the command. */
  async function logIn(name: string): Promise<{ readonly code: number | null; readonly stderr: string }> {
    const environment = commandEnvironment({ url: server.url, environment: { HOME: home } });
    const child = spawn(process.execPath, [hearthScript, 'login'], { env: environment });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk;
    });
    const end = once(child, 'close') as Promise<[number | null]>;
    await expect.poll(() => stderr, { timeout: 20_000 }).toMatch(/Waiting/);
    const [, direct = ''] = /or open\s+(\S+)/.exec(stderr) ?? [];
    const [, shown = ''] = /enter the code (\S+),/.exec(stderr) ?? [];
    provider.visitor = name;
    const page = await browser.open(direct, { isHostile: true });
    await page.getByText(shown).first().waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page
      .getByText(/success/i)
      .first()
      .waitFor();
    await page.context().close();
    const [code] = await end;
    return { code, stderr };
  }

  const keysOf = async (): Promise<string[]> => JSON.parse((await run('users', 'list', '--json')).stdout).users[0].keys;

  test('the commands of a user who has logged in have the scope and the limits of the user, until logout', async () => {
    expect((await run('users', 'list')).stderr).toContain('needs a key');
    const { code, stderr } = await logIn('anna');
    expect(stderr).toMatch(/Signed in as 'anna'. The key 'anna\.cli-\S+' is in \S+credentials and expires/);
    expect(code).toBe(0);
    expect(stderr).not.toContain('hearth_');
    expect(statSync(credentials).mode & 0o777).toBe(0o600);
    expect(await keysOf()).toEqual([expect.stringMatching(/^anna\.cli-/)]);
    const [, key = ''] = /key = "(hearth_\S+)"/.exec(readFileSync(credentials, 'utf8')) ?? [];
    const isKnown = async (): Promise<boolean> => {
      const response = await fetch(`${server.url}/api/session`, { headers: { authorization: `Bearer ${key}` } });
      return 'name' in ((await response.json()) as object);
    };
    expect(await isKnown()).toBe(true);

    // The same machine needs one key.
    expect((await logIn('anna')).code).toBe(0);
    expect(await isKnown()).toBe(false);
    expect(await keysOf()).toHaveLength(1);

    const out = await run('logout');
    expect([out.code, out.stderr]).toEqual([0, expect.stringMatching(/The key 'anna\.cli-\S+' is revoked/)]);
    expect(readFileSync(credentials, 'utf8')).toBe('# mine\n["other:1"]\nkey = "abc"\n');
    expect((await run('logout')).stderr).toContain('There is no key');
    expect((await run('users', 'list')).stderr).toContain('needs a key');
  });

  test('an account that may not use the server gets a message and no key', async () => {
    const { code, stderr } = await logIn('carl');
    expect([code, stderr]).toEqual([1, expect.stringContaining('this account may not use the server')]);
    expect(readFileSync(credentials, 'utf8')).not.toContain('hearth_');
  });

  test('a token of another server opens nothing', async () => {
    const body = JSON.stringify({ token: 'AAAA', name: 'cli' });
    const response = await fetch(`${server.url}/api/sign-in/device/key`, { method: 'POST', body });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'unauthorized' }]);
  });

  test('a server without a provider says so', async () => {
    const plain = await startServer();
    try {
      const { code, stderr } = await hearth(['login'], { url: plain.url, environment: { HOME: home } });
      expect([code, stderr]).toEqual([1, expect.stringContaining('has no OpenID Connect provider')]);
    } finally {
      await plain.stop();
    }
  });
});
