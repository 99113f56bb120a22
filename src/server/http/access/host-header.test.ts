import { describe, expect, test } from 'vitest';
import { createHostCheck } from './host-header.ts';

const machine = { hostname: 'MyMachine.lan', addresses: () => ['203.0.113.7', '2001:db8::7'] };
const check = createHostCheck({ ...machine, listensOn: 'Models.example', allowed: ['api.example', '*.Corp.example'] });

describe('accepts names of this machine and names of the settings', () => {
  test.each([
    'localhost',
    'localhost:11434',
    'LOCALHOST',
    'localhost.',
    'x.localhost',
    'mymachine:11434',
    'mymachine.lan',
    'mymachine.local',
    '127.0.0.1:11434',
    '[::1]:11434',
    '192.168.0.5',
    '10.1.2.3:80',
    '0.0.0.0',
    '203.0.113.7:11434',
    '[2001:db8::7]:1',
    'models.example:11434',
    'api.example',
    'deep.corp.example',
  ])('%s', (header) => {
    expect(check.isAllowed(header)).toBe(true);
    expect(check.isVerified(header)).toBe(true);
  });
});

test.each([undefined, '', 'host.docker.internal:11434'])('accepts %s, but does not verify it', (header) => {
  expect(check.isAllowed(header)).toBe(true);
  expect(check.isVerified(header)).toBe(false);
});

describe('refuses other names', () => {
  test.each([
    'evil.com',
    'evil.com:11434',
    'localhost.evil.com',
    '8.8.8.8',
    '127.0.0.1.evil.com',
    'local',
    'printer.local',
    'xlocalhost',
    '[2001:db8::8]',
    'corp.example',
    'api.example.evil.com',
    '[::1',
  ])('%s', (header) => {
    expect(check.isAllowed(header)).toBe(false);
    expect(check.isVerified(header)).toBe(false);
  });
});

test.each(['0.0.0.0', '::', '192.168.0.5', 'models.example'])('a server on %s refuses unknown names', (listensOn) => {
  expect(createHostCheck({ ...machine, listensOn }).isAllowed('evil.com')).toBe(false);
});

test.each(['127.0.0.1', '::1', 'localhost'])('a server on %s accepts names under .local', (listensOn) => {
  const loopback = createHostCheck({ ...machine, listensOn });
  expect(loopback.isAllowed('mybox.local:11434')).toBe(true);
  expect(loopback.isVerified('mybox.local:11434')).toBe(false);
  expect(loopback.isAllowed('mybox.local.evil.com')).toBe(false);
});

test('the setting * accepts every name and verifies none', () => {
  const any = createHostCheck({ ...machine, allowed: ['*'] });
  expect(any.isAllowed('evil.com')).toBe(true);
  expect(any.isVerified('evil.com')).toBe(false);
});
