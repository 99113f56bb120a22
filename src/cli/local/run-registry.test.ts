import { describe, expect, it } from 'vitest';
import { toRegistryServerOptions } from './run-registry.ts';

describe('toRegistryServerOptions', () => {
  it('has a default for every flag except the folder', () => {
    expect(toRegistryServerOptions({ folder: '/srv/models' })).toEqual({
      folder: '/srv/models',
      host: '127.0.0.1',
      port: 11435,
      pull: 'open',
      keysFile: '/srv/models/authorized_keys',
      maxUploadBytes: 1024 * 2 ** 30,
    });
  });

  it('uses the given flags', () => {
    const flags = {
      host: '::',
      port: '0',
      pull: 'keyed',
      keys: '/etc/keys',
      url: 'https://m.example',
      'max-upload': '1GB',
    };
    expect(toRegistryServerOptions(flags)).toMatchObject({
      host: '::',
      port: 0,
      pull: 'keyed',
      keysFile: '/etc/keys',
      url: 'https://m.example',
      maxUploadBytes: 1e9,
    });
  });

  it.each([
    [{ host: '0.0.0.0:5000' }, '--host is "0.0.0.0:5000", but must be a host name or an IP address'],
    [{ port: '70000' }, '--port'],
    [{ pull: 'closed' }, 'one of open, keyed'],
    [{ url: 'https://m.example/path' }, 'without a path'],
    [{ url: 'https://m.example"' }, 'without a path'],
    [{ 'max-upload': 'much' }, '--max-upload'],
  ])('rejects %o', (flags, message) => {
    expect(() => toRegistryServerOptions(flags)).toThrow(message);
  });
});
