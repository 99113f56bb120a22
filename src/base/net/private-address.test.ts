import { expect, test } from 'vitest';
import { isPrivateAddress, isPrivateHost, isWithinReach } from './private-address.ts';

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.1.1',
  '::1',
  '::',
  '[::1]',
  'fe80::1%eth0',
  'fd00::1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '::127.0.0.1',
  '64:ff9b::10.0.0.1',
  '2002:7f00:1::',
  'ff02::1',
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each([
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '1.1.1.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::',
])('%s is not private', (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test('names of this machine are private', () => {
  expect(['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1'].map(isPrivateHost)).toEqual([true, true, true, true]);
  expect(['registry.ollama.ai', 'localhost.example.com', '127.0.0.1.nip.io'].map(isPrivateHost)).toEqual([
    false,
    false,
    false,
  ]);
});

test('metadata services are reserved, also in private networks', () => {
  for (const address of [
    '169.254.169.254',
    '100.100.100.200',
    'fd00:ec2::254',
    'fe80::1',
    '0.0.0.0',
    '::ffff:a9fe:a9fe',
  ])
    expect(isWithinReach([address], 'loopback'), address).toBe(false);
  for (const address of ['100.100.100.201', 'fd00:ec2::253', '192.168.0.1', '127.0.0.1'])
    expect(isWithinReach([address], 'loopback'), address).toBe(true);
});
