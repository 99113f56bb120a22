import { expect, test } from 'vitest';
import { listMachineNames, parseCertificateName } from './certificate-names.ts';

test.each([
  ['Models.Example', 'models.example'],
  ['localhost', 'localhost'],
  ['*.lan', '*.lan'],
  ['my_machine.local', 'my_machine.local'],
  ['bücher.example', 'xn--bcher-kva.example'],
])('%s is the DNS name %s', (text, name) => {
  expect(parseCertificateName(text)).toEqual({ kind: 'dns', text: name });
});

test.each([
  ['192.168.1.20', '192.168.1.20'],
  ['::1', '::1'],
  ['[2001:db8:0:0:0:a:0:1]', '2001:db8::a:0:1'],
  ['::ffff:1.2.3.4', '::ffff:102:304'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
])('%s is the address %s', (text, address) => {
  expect(parseCertificateName(text)).toEqual({ kind: 'address', text: address });
});

test.each([
  '',
  'a b',
  'a..b',
  '.a',
  '*',
  'a.*.b',
  'https://a.example',
  'a.example:443',
  'a/b',
  'fe80::1%eth0',
  '1.2.3',
  'a\nb',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(127)}ab`,
])('%j is no name', (text) => {
  expect(parseCertificateName(text)).toBeUndefined();
});

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
