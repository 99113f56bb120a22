import { expect, test } from 'vitest';
import { loadSettings } from '../../settings/load-settings.ts';
import { createRedactor, findSecrets } from './redact.ts';

const redactWith = (environment: Record<string, string>, home = '/home/anna') => {
  const settings = loadSettings({ environment: { ...environment, HEARTH_CONFIG: '/dev/null' }, flags: {} });
  return createRedactor({ home, secrets: findSecrets(environment, settings) });
};

test('values of variables that hold secrets are hidden, those of settings that name files are not', () => {
  const redact = redactWith({
    OPENAI_API_KEY: 'tell-nobody',
    HEARTH_TLS_KEY: '/etc/hearth/key.pem',
    EDITOR: 'visible',
  });
  expect(redact('tell-nobody, /etc/hearth/key.pem, visible')).toBe('***, /etc/hearth/key.pem, visible');
});

test('passwords in URLs are hidden, also when they are shown without the URL', () => {
  const redact = redactWith({ HTTPS_PROXY: 'http://robert:p%40ssword@proxy.example:3128' });
  expect(redact('http://robert:p%40ssword@proxy.example:3128')).toBe('http://***@proxy.example:3128');
  expect(redact('wrong password "p@ssword" of robert')).toBe('wrong password "***" of ***');
  expect(redact('https://bob:x@registry.example/v2/')).toBe('https://***@registry.example/v2/');
  expect(redact('https://cdn.example/blob?token=abc&size=1')).toBe('https://cdn.example/blob?token=***&size=1');
});

test('credentials of registries are hidden', () => {
  const redact = redactWith({ HEARTH_REGISTRY_CREDENTIALS: 'registry.example=robert:open%2Csesame' });
  expect(redact('robert open,sesame open%2Csesame registry.example')).toBe('*** *** *** registry.example');
});

test.each([
  'hearth_0123456789abcdef_0123456789abcdef',
  'sk-0123456789abcdef0123',
  'hf_0123456789abcdef0123',
  'ghp_0123456789abcdef0123',
])('%s is hidden wherever it comes from', (key) => {
  expect(redactWith({})(`the header ${key} is wrong`)).toBe('the header *** is wrong');
});

test('the name of a folder is not a key', () => {
  expect(redactWith({})('/opt/hearth-server-1234567890abc/models')).toBe('/opt/hearth-server-1234567890abc/models');
});

test('an authorization header is hidden', () => {
  expect(redactWith({})('authorization: Bearer abc.def')).toBe('authorization: Bearer ***');
});

test('the home folder is ~, and other folders are unchanged', () => {
  const redact = redactWith({});
  expect(redact('/home/anna/.hearth, /home/anna, /home/annabel')).toBe('~/.hearth, ~, /home/annabel');
  expect(redactWith({}, '/')('/models')).toBe('/models');
});

test('a short value does not make the text unreadable', () => {
  expect(redactWith({ MY_TOKEN: '1' })('127.0.0.1:11434')).toBe('127.0.0.1:11434');
});
