import { expect, test } from 'vitest';
import { parseCertificateName } from './certificate-names.ts';

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
  ['192.168.1.20', 'c0a80114'],
  ['::1', '00000000000000000000000000000001'],
  ['[2001:db8::a:0:1]', '20010db8000000000000000a00000001'],
  ['::ffff:1.2.3.4', '00000000000000000000ffff01020304'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
])('%s is an address', (text, bytes) => {
  const name = parseCertificateName(text);
  expect(name?.kind === 'address' && Buffer.from(name.bytes).toString('hex')).toBe(bytes);
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
