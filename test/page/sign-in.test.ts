// Sign-in with an OpenID Connect provider, in a real browser.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, findBarriers, startBrowser, type TestBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe.skipIf(browserPath === undefined)('sign-in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-sign-in-'));
  let provider: OpenIdProvider;
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    provider = await startOpenIdProvider(publicUrl);
    provider.people.set('anna', { preferred_username: 'anna', groups: ['ml'] });
    provider.people.set('ben', { preferred_username: 'ben', groups: ['staff'] });
    provider.people.set('dora', { preferred_username: 'dora', groups: ['staff'] });
    provider.people.set('carl', { preferred_username: 'carl', groups: [] });
    server = await startServer({
      environment: {
        HEARTH_HOST: `127.0.0.1:${port}`,
        HEARTH_KEYS_FILE: join(folder, 'keys.json'),
        HEARTH_PUBLIC_URL: publicUrl,
        HEARTH_OIDC_ISSUER: provider.issuer,
        HEARTH_OIDC_CLIENT_ID: provider.clientId,
        HEARTH_OIDC_CLIENT_SECRET: provider.clientSecret,
        HEARTH_OIDC_ADMINS: 'group:ml',
        HEARTH_OIDC_USERS: 'group:staff',
      },
    });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await provider?.close();
    rmSync(folder, { recursive: true });
  });

  // `check` of the browser does not apply: the pages of the provider are another origin.
  const signIn = async (name: string, address = server.url) => {
    const page = await browser.open(address, { isHostile: true });
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: `I am ${name}` }).click();
    return page;
  };

  test('a user goes to the provider, comes back to the same view, and signs out of both', async () => {
    const page = await browser.open(server.url, { isHostile: true });
    await page.getByLabel('Key', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.context().close();
    const signedIn = await signIn('ben', `${server.url}/#/models`);
    await signedIn.getByRole('heading', { name: 'Models' }).waitFor();
    expect(new URL(signedIn.url()).hash).toBe('#/models');
    await signedIn.locator('.session', { hasText: 'ben' }).waitFor();
    const cookies = await signedIn.context().cookies(server.url);
    expect(cookies.filter(({ name }) => name.startsWith('hearth_'))).toMatchObject([
      { name: 'hearth_session', httpOnly: true, sameSite: 'Strict' },
    ]);
    await signedIn.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => new URL(signedIn.url()).origin).toBe(provider.issuer);
    await signedIn.goto(server.url);
    await signedIn.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  });

  test('users create keys of their own, and an administrator blocks a user', async () => {
    const user = await signIn('dora');
    await user.getByRole('link', { name: 'Keys' }).click();
    await user.getByRole('heading', { name: 'Your keys' }).waitFor();
    await user.getByRole('button', { name: 'Create a key' }).click();
    await user.getByLabel('Name').fill('laptop');
    await user.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = user.getByRole('dialog').getByLabel('Key', { exact: true });
    await secret.waitFor();
    const key = await secret.inputValue();
    await user.getByRole('button', { name: 'Done' }).click();
    await user.getByRole('rowheader', { name: 'dora.laptop' }).waitFor();
    const session = async () => {
      const response = await fetch(`${server.url}/api/session`, { headers: { authorization: `Bearer ${key}` } });
      return ((await response.json()) as { readonly name?: string }).name;
    };
    expect(await session()).toBe('dora');
    const asDora = async (method: string, path: string, body?: object) =>
      fetch(server.url + path, {
        method,
        headers: { authorization: `Bearer ${key}` },
        body: body === undefined ? null : JSON.stringify(body),
      });
    await asDora('PUT', '/api/chats/doras-chat', { title: 'Quinces' });
    const shared = (await (await asDora('POST', '/api/chats/doras-chat/share')).json()) as { shared_link: string };

    const page = await signIn('anna');
    await page.getByRole('link', { name: 'Keys' }).click();
    const readShared = () => page.request.get(`${server.url}/api/shared-chats/${shared.shared_link}`);
    expect(await (await readShared()).json()).toMatchObject({ title: 'Quinces', author: 'dora' });
    const row = page.getByLabel('List of users').getByRole('row', { name: 'dora' });
    await row.getByText('may enter').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Block dora' }).click();
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await row.getByText('is blocked').waitFor();
    expect(await session()).toBeUndefined();
    expect((await readShared()).status()).toBe(404);
    await user.reload();
    await user.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  });

  test('who may not enter is told so', async () => {
    const page = await signIn('carl');
    await page.getByText('Your account may not use this server.').waitFor();
  });
});
