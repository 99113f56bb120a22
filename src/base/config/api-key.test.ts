import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readApiKey, withApiKey } from './api-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-credentials-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const url = 'http://models.example:11434';

function fileWith(text: string, mode = 0o600): string {
  const file = join(folder, `credentials-${text.length}-${mode}`);
  writeFileSync(file, text, { mode });
  return file;
}

test('the variable wins over the file, and the file has a key per server', () => {
  const file = fileWith('["models.example:11434"]\nkey = "a"\n["other.example"]\nkey = "b"\n');
  expect(readApiKey(url, { environment: {}, file })).toBe('a');
  expect(readApiKey('https://other.example', { environment: {}, file })).toBe('b');
  expect(readApiKey('http://third.example', { environment: {}, file })).toBeUndefined();
  expect(readApiKey(url, { environment: { HEARTH_API_KEY: ' c ' }, file })).toBe('c');
});

test('a Unix socket has a key of its own', () => {
  const socket = 'unix:/run/a "b".sock';
  const file = fileWith(withApiKey('["localhost"]\nkey = "a"\n', socket, 'b'));
  expect(readApiKey(socket, { environment: {}, file })).toBe('b');
  expect(readApiKey('unix:/run/other.sock', { environment: {}, file })).toBeUndefined();
});

test('without either there is no key', () => {
  expect(readApiKey(url, { environment: { HEARTH_API_KEY: '' }, file: join(folder, 'none') })).toBeUndefined();
});

test('a file that others can read is used, with a warning', () => {
  const warnings: string[] = [];
  const file = fileWith('["models.example:11434"]\nkey = "abc"\n', 0o644);
  expect(readApiKey(url, { environment: {}, file, onWarning: (text) => warnings.push(text) })).toBe('abc');
  expect(warnings).toEqual([expect.stringContaining('chmod 600')]);
});

test('errors do not show the key', () => {
  const invalid = () => readApiKey(url, { environment: {}, file: fileWith('key = hearth_secret') });
  expect(invalid).toThrow('is not valid TOML');
  expect(invalid).not.toThrow('hearth_secret');
  const spaces = () => readApiKey(url, { environment: { HEARTH_API_KEY: 'a b' }, file: join(folder, 'none') });
  expect(spaces).toThrow('HEARTH_API_KEY is not a key');
});

test('a key is added to the file, or replaces the one of the same server', () => {
  const first = withApiKey('', url, 'a');
  expect(first).toBe('["models.example:11434"]\nkey = "a"\n');
  const both = withApiKey(`# mine\n${first}`, 'https://other.example', 'b');
  expect(both).toBe('# mine\n["models.example:11434"]\nkey = "a"\n["other.example"]\nkey = "b"\n');
  expect(withApiKey(both, url, 'c')).toBe(both.replace('"a"', '"c"'));
});

test.each([
  '["models.example:11434"',
  '"models.example:11434" = { key = "a" }\n',
  '"models.example:11434".key = "a"\n',
])('a file with %j is not changed', (text) => {
  expect(() => withApiKey(text, url, 'b')).toThrow('it has something else than a table');
});
