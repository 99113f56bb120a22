import {
  chmodSync,
  existsSync,
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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LaunchTarget, SavedConfig } from './program.ts';
import { restoreConfig } from './restore-config.ts';
import { saveConfig } from './save-config.ts';

let home: string;
let printed: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hearth-save-'));
  path = join(home, '.agent/settings.json');
  printed = '';
});
afterEach(() => rmSync(home, { recursive: true }));

const saved: SavedConfig = {
  folder: { variable: 'AGENT_HOME', folder: '.agent' },
  elsewhere: { darwin: { folder: 'Library/Agent' } },
  name: 'settings.json',
  format: 'json',
  values: ({ model }) => ({ model }),
  usage: () => 'agent',
};
interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
}
const around = ({ environment = {}, platform = 'linux' }: Options = {}) => ({
  places: { environment, home, platform, recordFile: join(home, '.hearth/launch.json') },
  print: (text: string) => {
    printed += text;
  },
});
const save = (model = 'ember', options?: Options): Promise<void> => {
  const target: LaunchTarget = { url: '', model, capabilities: [] };
  return saveConfig(saved, { target, ...around(options) });
};
const restore = (): Promise<void> => restoreConfig(saved, around());
const read = (name: string): string => readFileSync(join(home, name), 'utf8');
const files = (): string[] => readdirSync(join(home, '.agent')).toSorted();

/** The file of the user before the first save. */
function writeFormer(text: string): void {
  mkdirSync(join(home, '.agent'));
  writeFileSync(path, text);
}

describe('saving', () => {
  test('a new file is only for its user, and what it contains is shown', async () => {
    await save();
    expect(read('.agent/settings.json')).toBe('{\n  "model": "ember"\n}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(files()).toEqual(['settings.json']);
    expect(printed).toBe(
      `Adding to ${path}:\n{\n  "model": "ember"\n}\n\`agent\` uses this configuration from now on.\n`,
    );
  });

  test('the old file is kept, and so is one that was changed since then; the mode stays', async () => {
    writeFormer('{"theme": "dark"}');
    chmodSync(path, 0o640);
    await save();
    writeFileSync(path, '{"theme": "light"}');
    await save('other');
    expect(read('.agent/settings.json.backup-1')).toBe('{"theme": "dark"}');
    expect(read('.agent/settings.json.backup-2')).toBe('{"theme": "light"}');
    expect(JSON.parse(read('.agent/settings.json'))).toEqual({ theme: 'light', model: 'other' });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(printed).toContain(`the old file is ${path}.backup-2:`);
  });

  test('what was written last needs no copy', async () => {
    writeFormer('{"theme": "dark"}');
    await save();
    await save('other');
    await save('third');
    expect(files()).toEqual(['settings.json', 'settings.json.backup-1']);
  });

  test('a file that has the values is not written, and needs no backup', async () => {
    const text = '{ "model":   "ember" }';
    writeFormer(text);
    await save();
    expect(read('.agent/settings.json')).toBe(text);
    expect(files()).toEqual(['settings.json']);
    expect(printed).toContain('has this configuration already');
  });

  test('a symbolic link stays one', async () => {
    writeFormer('{}');
    const target = join(home, 'dotfiles.json');
    writeFileSync(target, '{}');
    rmSync(path);
    symlinkSync(target, path);
    await save();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read('dotfiles.json'))).toEqual({ model: 'ember' });
    expect(readdirSync(home)).toContain('dotfiles.json.backup-1');
  });

  test('a variable names the folder, and an operating system can have another', async () => {
    await save('ember', { environment: { AGENT_HOME: join(home, 'elsewhere') } });
    expect(read('elsewhere/settings.json')).toContain('ember');
    await save('ember', { platform: 'darwin' });
    expect(read('Library/Agent/settings.json')).toContain('ember');
  });

  test('a file with comments is refused, with what to add', async () => {
    writeFormer('{ // comment\n}');
    await expect(save()).rejects.toThrow(`${path} cannot be changed, because it is not plain JSON: `);
    await expect(save()).rejects.toThrow('Add this to it yourself:\n{\n  "model": "ember"\n}');
    expect(files()).toEqual(['settings.json']);
  });

  test('a huge file is refused', async () => {
    writeFormer(' '.repeat(2 ** 20 + 1));
    await expect(save()).rejects.toThrow('is larger than 1 MiB');
  });

  test('a damaged record is named, and nothing is written', async () => {
    mkdirSync(join(home, '.hearth'));
    writeFileSync(join(home, '.hearth/launch.json'), '{');
    await expect(save()).rejects.toThrow('.hearth/launch.json cannot be read');
    expect(existsSync(path)).toBe(false);
  });
});

describe('restoring', () => {
  test('the file before the first save comes back, with its mode', async () => {
    writeFormer('{"theme": "dark"}');
    chmodSync(path, 0o640);
    await save();
    await save('other');
    await restore();
    expect(read('.agent/settings.json')).toBe('{"theme": "dark"}');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(files()).toEqual(['settings.json']);
    expect(printed).toMatch(/Put \S+ back as it was before hearth launch\.\n$/);
  });

  test('a file that was created is removed', async () => {
    await save();
    await restore();
    expect(files()).toEqual([]);
    expect(printed).toMatch(/Removed \S+, which hearth launch had created\.\n$/);
  });

  test('a file that was changed since then is kept', async () => {
    writeFormer('{"theme": "dark"}');
    await save();
    writeFileSync(path, '{"theme": "light"}');
    await restore();
    expect(read('.agent/settings.json')).toBe('{"theme": "dark"}');
    expect(read('.agent/settings.json.backup-2')).toBe('{"theme": "light"}');
    expect(printed).toContain(`it was changed since then, and that file is ${path}.backup-2.`);
  });

  test('a file that was created and then changed is kept under another name', async () => {
    await save();
    writeFileSync(path, '{"theme": "light"}');
    await restore();
    expect(files()).toEqual(['settings.json.backup-1']);
    expect(read('.agent/settings.json.backup-1')).toBe('{"theme": "light"}');
  });

  test('a file that was deleted since then comes back, too', async () => {
    writeFormer('{"theme": "dark"}');
    await save();
    rmSync(path);
    await restore();
    expect(read('.agent/settings.json')).toBe('{"theme": "dark"}');
  });

  test('without a save, and after a restore, the file stays as it is', async () => {
    writeFormer('{"theme": "dark"}');
    await restore();
    await save();
    await restore();
    await restore();
    expect(read('.agent/settings.json')).toBe('{"theme": "dark"}');
    expect(files()).toEqual(['settings.json']);
    expect(printed).toMatch(/stays as it is: hearth launch has not written it\.\n$/);
  });

  test('a symbolic link stays one', async () => {
    const target = join(home, 'dotfiles.json');
    writeFileSync(target, '{"theme": "dark"}');
    mkdirSync(join(home, '.agent'));
    symlinkSync(target, path);
    await save();
    await restore();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(read('dotfiles.json')).toBe('{"theme": "dark"}');
  });

  test('without the backup nothing is changed', async () => {
    writeFormer('{"theme": "dark"}');
    await save();
    rmSync(`${path}.backup-1`);
    await expect(restore()).rejects.toThrow('settings.json.backup-1 cannot be read; nothing was changed');
    expect(JSON.parse(read('.agent/settings.json'))).toEqual({ theme: 'dark', model: 'ember' });
  });
});
