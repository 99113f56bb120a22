import { expect, test } from 'vitest';
import { stateAddress } from './state-address.ts';

const usual = { host: 'db.example', port: 5432, user: 'hearth', password: '', database: 'models', tls: 'verify-full' };

test.each([
  ['postgres://hearth@db.example/models', {}],
  ['postgresql://hearth@db.example:6432/models?sslmode=require', { port: 6432, tls: 'require' }],
  ['postgres://hearth:p%40ss%3Aword%2F%3F%23@db.example/models', { password: 'p@ss:word/?#' }],
  ['postgres://hearth@127.0.0.1/models', { host: '127.0.0.1', tls: 'disable' }],
  ['postgres://hearth@[::1]/models?sslmode=verify-full', { host: '::1' }],
  ['postgres://hearth@localhost/models?host=/run/postgresql', { host: '/run/postgresql', tls: 'disable' }],
])('%s is an address', (text, expected) => {
  expect(stateAddress.parse(text)).toEqual({ ...usual, ...expected });
});

test('an empty text is none', () => {
  expect(stateAddress.parse('')).toBe('');
});

test.each([
  'mysql://hearth@db.example/models',
  'postgres://db.example/models',
  'postgres://hearth@db.example/',
  'postgres://hearth@db.example:0/models',
  'postgres://hearth@db.example/models?sslmode=prefer',
  'postgres://hearth@db.example/models?options=-c%20log_statement=all',
  'postgres://hearth@db.example/models?sslrootcert=/etc/passwd',
  'postgres://hearth@db.example/models#x',
  'postgres://hea%00rth@db.example/models',
  'postgres://hearth:%0Ax@db.example/models',
  'postgres://hearth:%zz@db.example/models',
  'postgres://hearth@db.example%0A/models',
  'postgres://hearth@-c/models',
  'postgres://hearth@localhost/models?host=/run/a%20b',
  `postgres://${'a'.repeat(64)}@db.example/models`,
  `postgres://hearth:${'a'.repeat(5000)}@db.example/models`,
])('%s is refused, and its text is a secret', (text) => {
  expect(stateAddress.parse(text)).toBeUndefined();
  expect(stateAddress.secret).toBe(true);
});
