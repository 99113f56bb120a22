import { afterAll, describe, expect, test } from 'vitest';
import { createKeyFixture } from '../../../test/support/key-fixture.ts';
import { silentLogger } from '../../base/logger.ts';
import { systemClock as clock } from '../../base/time/clock.ts';
import { loadSettings } from '../../settings/load-settings.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { createAccess } from './create-access.ts';

const empty = createKeyFixture(clock);
const withKey = createKeyFixture(clock);
afterAll(async () => {
  await empty.remove();
  await withKey.remove();
});

const defaults = loadSettings({ environment: { HEARTH_CONFIG: '/dev/null' }, flags: {} });
const start = (host: string, { keysFile = empty.path, allowOpen = false, ...settings }: Partial<Settings> = {}) => {
  const access = createAccess({
    settings: { ...defaults, host: { host, port: 11434 }, keysFile, allowOpen, ...settings },
    clock,
    logger: silentLogger,
  });
  access.checkOpen();
  return access;
};

describe('without keys', () => {
  test.each(['127.0.0.1', '127.0.0.9', '::1', 'localhost', 'LOCALHOST', 'x.localhost'])(
    'a server on %s is open',
    (host) => {
      expect(start(host).keys.areRequired()).toBe(false);
    },
  );

  test.each(['0.0.0.0', '::', '192.168.0.5', 'models.example', 'localhost.example', ''])(
    'a server on %j does not start, and says what to do',
    (host) => {
      expect(() => start(host)).toThrow(expect.objectContaining({ code: 'bad_configuration' }));
      expect(() => start(host)).toThrow(/hearth keys create NAME --scope admin.*HEARTH_ALLOW_OPEN=1/);
      expect(start(host, { allowOpen: true }).keys.areRequired()).toBe(false);
    },
  );
});

test('with a key, every server needs one, and one on the network stays closed without it', async () => {
  await withKey.create('anna');
  const [local, network] = ['127.0.0.1', '0.0.0.0'].map((host) => start(host, { keysFile: withKey.path }));
  expect([local?.keys.areRequired(), network?.keys.areRequired()]).toEqual([true, true]);
  await local?.editor.revoke('anna');
  network?.keys.refresh();
  expect([local?.keys.areRequired(), network?.keys.areRequired()]).toEqual([false, true]);
});

describe('with sign-in', () => {
  const complete = { oidcIssuer: 'https://login.example', oidcClientId: 'hearth', publicUrl: 'https://hearth.example' };

  test.each(['127.0.0.1', '0.0.0.0'])('a server on %s needs no keys to be closed', (host) => {
    expect(start(host, complete).keys.areRequired()).toBe(true);
    expect(start(host, { ...complete, allowOpen: true }).keys.areRequired()).toBe(true);
  });

  test.each([
    [{ oidcClientId: '' }, 'HEARTH_OIDC_CLIENT_ID'],
    [{ publicUrl: '' }, 'HEARTH_PUBLIC_URL'],
    [{ oidcClientSecret: 'a', oidcClientSecretFile: '/b' }, 'not both'],
    [{ oidcClientSecretFile: '/does/not/exist' }, 'cannot be read'],
  ])('%j is not enough', (missing, reason) => {
    expect(() => start('127.0.0.1', { ...complete, ...missing })).toThrow(reason);
  });
});
