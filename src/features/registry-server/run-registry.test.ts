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
    ['0.0.0.0', { host: '0.0.0.0', port: 11435 }],
    ['0.0.0.0:5000', { host: '0.0.0.0', port: 5000 }],
    ['::', { host: '::', port: 11435 }],
    ['[::1]:5000', { host: '::1', port: 5000 }],
    ['http://models.example', { host: 'models.example', port: 80 }],
  ])('takes --host %s as `hearth serve` does', (host, address) => {
    expect(toRegistryServerOptions({ host })).toMatchObject(address);
  });

  it.each([
    [{ host: 'a:b' }, '--host is "a:b", but must be an address such as 127.0.0.1:11435'],
    [{ port: '70000' }, '--port'],
    [{ pull: 'closed' }, 'one of open, keyed'],
    [{ url: 'https://m.example/path' }, 'without a path'],
    [{ url: 'https://m.example"' }, 'without a path'],
    [{ 'max-upload': 'much' }, '--max-upload'],
  ])('rejects %o', (flags, message) => {
    expect(() => toRegistryServerOptions(flags)).toThrow(message);
  });
});
