import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readApiKey } from '../../base/config/api-key.ts';
import { openCredentials } from './save-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-save-'));
afterAll(() => rmSync(folder, { recursive: true }));
const url = 'http://127.0.0.1:11434';

test('a saved key is the one that commands send, and only its owner can read it', async () => {
  const file = join(folder, 'new', 'credentials');
  const save = await openCredentials(file);
  expect(await save(url, 'hearth_1')).toBe(file);
  expect(readApiKey(url, { environment: {}, file })).toBe('hearth_1');
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0);
});

test('a file that is no list of keys stays as it is', async () => {
  const file = join(folder, 'other');
  writeFileSync(file, 'not toml');
  const save = await openCredentials(file);
  await expect(save(url, 'hearth_2')).rejects.toThrow(`the key cannot be saved in ${file}: it has something else`);
  expect(readFileSync(file, 'utf8')).toBe('not toml');
  await expect(openCredentials(folder)).rejects.toThrow('the key cannot be saved');
});
