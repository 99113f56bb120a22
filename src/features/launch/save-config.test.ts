import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SavedConfig } from './program.ts';
import { saveConfig } from './save-config.ts';

let home: string;
let printed: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hearth-save-'));
  printed = '';
});
afterEach(() => rmSync(home, { recursive: true }));

const saved: SavedConfig = {
  file: { variable: 'AGENT_HOME', folder: '.agent', name: 'settings.json' },
  format: 'json',
  values: { model: 'ember' },
  usage: 'agent',
};
const save = (config = saved, environment: Readonly<Record<string, string>> = {}): Promise<void> =>
  saveConfig(config, {
    environment,
    home,
    print: (text) => {
      printed += text;
    },
  });
const read = (name: string): string => readFileSync(join(home, name), 'utf8');

/** The file of the user before the first save. */
function writeFormer(text: string): string {
  const path = join(home, '.agent/settings.json');
  mkdirSync(join(home, '.agent'));
  writeFileSync(path, text);
  return path;
}

test('a new file is only for its user, and what it contains is shown', async () => {
  await save();
  const path = join(home, '.agent/settings.json');
  expect(read('.agent/settings.json')).toBe('{\n  "model": "ember"\n}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, '.agent'))).toEqual(['settings.json']);
  expect(printed).toBe(
    `Adding to ${path}:\n{\n  "model": "ember"\n}\n\`agent\` uses this configuration from now on.\n`,
  );
});

test('the old file is kept, each time under a new name; its mode stays', async () => {
  const path = writeFormer('{"theme": "dark"}');
  chmodSync(path, 0o640);
  await save();
  await save({ ...saved, values: { model: 'other' } });
  expect(read('.agent/settings.json.backup-1')).toBe('{"theme": "dark"}');
  expect(JSON.parse(read('.agent/settings.json.backup-2'))).toEqual({ theme: 'dark', model: 'ember' });
  expect(JSON.parse(read('.agent/settings.json'))).toEqual({ theme: 'dark', model: 'other' });
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(printed).toContain(`the old file is ${path}.backup-2:`);
});

test('a file that has the values is not written, and needs no backup', async () => {
  const text = '{ "model":   "ember" }';
  writeFormer(text);
  await save();
  expect(read('.agent/settings.json')).toBe(text);
  expect(readdirSync(join(home, '.agent'))).toEqual(['settings.json']);
  expect(printed).toContain('has this configuration already');
});

test('a symbolic link stays one', async () => {
  const path = writeFormer('{}');
  const target = join(home, 'dotfiles.json');
  writeFileSync(target, '{}');
  rmSync(path);
  symlinkSync(target, path);
  await save();
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(JSON.parse(read('dotfiles.json'))).toEqual({ model: 'ember' });
  expect(readdirSync(home)).toContain('dotfiles.json.backup-1');
});

test('a variable names the folder', async () => {
  await save(saved, { AGENT_HOME: join(home, 'elsewhere') });
  expect(read('elsewhere/settings.json')).toContain('ember');
});

test('a file with comments is refused, with what to add', async () => {
  const path = writeFormer('{ // comment\n}');
  await expect(save()).rejects.toThrow(`${path} cannot be changed, because it is not plain JSON: `);
  await expect(save()).rejects.toThrow('Add this to it yourself, and leave out --save:\n{\n  "model": "ember"\n}');
  expect(readdirSync(join(home, '.agent'))).toEqual(['settings.json']);
});

test('a huge file is refused', async () => {
  writeFormer(' '.repeat(2 ** 20 + 1));
  await expect(save()).rejects.toThrow('is larger than 1 MiB');
});
