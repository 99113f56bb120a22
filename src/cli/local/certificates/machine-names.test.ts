import { expect, test } from 'vitest';
import { listMachineNames } from './machine-names.ts';

test('a machine has its names, the loopback addresses and those of its networks', () => {
  const addresses = ['127.0.0.1', '192.168.1.20', '::1', 'fe80::1', '2001:db8::5'];
  expect(listMachineNames({ hostname: 'Workshop.example', addresses })).toEqual([
    'localhost',
    'workshop.example',
    'workshop',
    'workshop.local',
    '127.0.0.1',
    '::1',
    '192.168.1.20',
    '2001:db8::5',
  ]);
});

test.each(['', 'my computer', 'localhost'])('the host name %j adds nothing that is not a name', (hostname) => {
  const names = listMachineNames({ hostname, addresses: [] });
  expect(names.filter((name) => !['localhost', 'localhost.local', '127.0.0.1', '::1'].includes(name))).toEqual([]);
});
