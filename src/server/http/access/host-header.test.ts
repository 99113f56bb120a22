import { describe, expect, test } from 'vitest';
import { createHostCheck, isLoopback } from './host-header.ts';

const check = createHostCheck({ hostname: 'MyMachine', addresses: ['203.0.113.7', '2001:db8::7'] });

describe('accepts names of this machine', () => {
  test.each([
    undefined,
    '',
    'localhost',
    'localhost:11434',
    'LOCALHOST',
    'mymachine:11434',
    '127.0.0.1:11434',
    '[::1]:11434',
    '192.168.0.5',
    '10.1.2.3:80',
    '0.0.0.0',
    '203.0.113.7:11434',
    '[2001:db8::7]:1',
    'printer.local',
    'api.internal:11434',
    'x.localhost',
  ])('%s', (header) => {
    expect(check(header)).toBe(true);
  });
});

describe('refuses other names', () => {
  test.each([
    'evil.com',
    'evil.com:11434',
    'localhost.evil.com',
    '8.8.8.8',
    '127.0.0.1.evil.com',
    'local',
    'xlocal',
    '[2001:db8::8]',
  ])('%s', (header) => {
    expect(check(header)).toBe(false);
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['192.168.0.1', false],
  ['example.com', false],
])('%s is a loopback address: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
