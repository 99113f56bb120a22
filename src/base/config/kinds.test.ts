import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  address,
  duration,
  engineBuild,
  fileMode,
  flag,
  folderChoice,
  path,
  proxyAddress,
  registryAddress,
  registryCredentials,
  shareList,
  size,
} from './kinds.ts';

describe('address', () => {
  test.each([
    ['127.0.0.1:11434', '127.0.0.1', 11434],
    ['0.0.0.0', '0.0.0.0', 11434],
    [':8080', '0.0.0.0', 8080],
    ['http://', '127.0.0.1', 80],
    ['example.com', 'example.com', 11434],
    ['http://example.com', 'example.com', 80],
    ['http://example.com:1234/', 'example.com', 1234],
    ['[::1]:8080', '::1', 8080],
    ['[::1]', '::1', 11434],
    ['::1', '::1', 11434],
    ['::', '::', 11434],
  ])('%s is host %s, port %d', (text, host, port) => {
    expect(address.parse(text)).toMatchObject({ host, port });
  });

  test.each([
    ['example.com', undefined],
    ['http://example.com', false],
    ['https://example.com', true],
  ])('%s: TLS is %s', (text, secure) => {
    expect(address.parse(text)).toHaveProperty('secure', secure);
  });

  test('a proxy address may have TLS and a path', () => {
    expect(address.parse('https://example.com/some/path/')).toEqual({
      host: 'example.com',
      port: 443,
      secure: true,
      path: '/some/path',
    });
  });

  test.each([
    ['unix:/run/hearth.sock', '/run/hearth.sock'],
    ['unix:///run/hearth.sock', '/run/hearth.sock'],
    ['unix:~/a b.sock', `${homedir()}/a b.sock`],
    [`unix:/${'x'.repeat(102)}`, `/${'x'.repeat(102)}`],
  ])('%s is the socket %s', (text, socket) => {
    expect(address.parse(text)).toEqual({ socket });
  });

  test.each([
    'unix:',
    'unix:hearth.sock',
    'unix:/',
    'unix:/a\0b',
    `unix:/${'x'.repeat(107)}`,
    `unix:/${'ü'.repeat(54)}`,
  ])('%j is not a socket', (text) => {
    expect(address.parse(text)).toBeUndefined();
  });

  test.each(['a:b', 'host:99999', 'host:-1', '[::1', 'ho st', 'host:1:2'])('%j is not an address', (text) => {
    expect(address.parse(text)).toBeUndefined();
  });
});

test.each([
  ['0600', 0o600],
  ['660', 0o660],
  ['0777', 0o777],
  ['0400', undefined],
  ['0060', undefined],
  ['0698', undefined],
  ['rw', undefined],
])('the mode %s is %s', (text, mode) => {
  expect(fileMode.parse(text)).toBe(mode);
});

test.each([
  ['5m', 300_000],
  ['90', 90_000],
  ['0', 0],
  ['-1', Number.POSITIVE_INFINITY],
  ['-1m', Number.POSITIVE_INFINITY],
  ['soon', undefined],
])('the duration %s is %s ms', (text, milliseconds) => {
  expect(duration.parse(text)).toBe(milliseconds);
});

test.each([
  ['512MiB', 512 * 2 ** 20],
  ['2GB', 2e9],
  ['1.5gi', 1.5 * 2 ** 30],
  ['100', 100],
  ['10 kb', 10_000],
  ['-1', undefined],
  ['many', undefined],
])('the size %s is %s bytes', (text, bytes) => {
  expect(size.parse(text)).toBe(bytes);
});

test.each([
  ['true', true],
  ['1', true],
  ['2', true],
  ['ON', true],
  ['false', false],
  ['0', false],
  ['maybe', undefined],
])('the flag %s is %s', (text, value) => {
  expect(flag.parse(text)).toBe(value);
});

test.each([
  ['cpu_avx2', 'cpu'],
  ['cuda_v12', 'cuda'],
  ['Vulkan', 'vulkan'],
  ['auto', 'auto'],
  ['cpuish', undefined],
])('the build %s is %s', (text, build) => {
  expect(engineBuild.parse(text)).toBe(build);
});

test.each([
  ['auto', 'auto'],
  ['1', 'auto'],
  ['TRUE', 'auto'],
  ['0', 'off'],
  ['false', 'off'],
  ['/data', { folder: '/data' }],
  ['a\0', undefined],
])('%j as a folder is %j', (text, choice) => {
  expect(folderChoice.parse(text)).toEqual(choice);
});

test('a path with a NUL byte is rejected', () => {
  expect(path.parse('/a\0b')).toBeUndefined();
});

test.each([
  ['registry.ollama.ai', true],
  ['http://registry.example:5000', true],
  ['https://127.0.0.1', true],
  ['registry.example/path', false],
  ['ftp://registry.example', false],
  ['', false],
])('%j is a registry address: %s', (text, isValid) => {
  expect(registryAddress.parse(text)).toBe(isValid ? text : undefined);
});

test('user names and passwords for registries', () => {
  expect(registryCredentials.parse('')).toEqual([]);
  expect(registryCredentials.parse('a.example:5000=ann:p:w%2C%25, b.example=bob:')).toEqual([
    { host: 'a.example:5000', user: 'ann', password: 'p:w,%' },
    { host: 'b.example', user: 'bob', password: '' },
  ]);
  for (const text of ['ann:pw', 'a.example=ann', 'a.example=ann:%', 'a b=ann:pw'])
    expect(registryCredentials.parse(text)).toBeUndefined();
});

test.each([
  ['proxy.example:3128', 'http://proxy.example:3128'],
  ['https://ann:pw@proxy.example', 'https://ann:pw@proxy.example'],
  ['', ''],
  ['socks5://proxy.example', undefined],
])('%j as a proxy is %j', (text, url) => {
  expect(proxyAddress.parse(text)).toBe(url);
});

test.each(['', '1', '3,1', '0,1.5'])('%j are shares', (text) => {
  expect(shareList.parse(text)).toBe(text);
});

test.each(['0', '0,0', ',', '3,', '3 1', '-1,2', 'a', '1234567'])('%j are not shares', (text) => {
  expect(shareList.parse(text)).toBeUndefined();
});
