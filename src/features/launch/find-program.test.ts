import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findProgram } from './find-program.ts';

const home = mkdtempSync(join(tmpdir(), 'hearth-find-'));
afterAll(() => rmSync(home, { recursive: true }));

function install(folder: string, name: string, mode = 0o755): string {
  const path = join(home, folder, name);
  mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
}

const find = (command: string, folders: string[], platform = 'linux', own: readonly string[] = []) =>
  findProgram({ command, folders: own }, { path: folders.join(delimiter), home, platform });

test('the first executable file in PATH is found', async () => {
  install('a', 'agent', 0o644);
  mkdirSync(join(home, 'b/agent'), { recursive: true });
  const expected = install('c', 'agent');
  install('d', 'agent');
  const path = ['missing', 'a', 'b', 'c', 'd'].map((name) => join(home, name));
  expect(await find('agent', path)).toBe(expected);
  expect(await find('other', path)).toBe(undefined);
});

test('the folder of its installer is searched last', async () => {
  const expected = install('.local/bin', 'tool');
  expect(await find('tool', [join(home, 'a')], 'linux', ['.local/bin'])).toBe(expected);
  const inPath = install('a', 'tool');
  expect(await find('tool', [join(home, 'a')], 'linux', ['.local/bin'])).toBe(inPath);
});

test('the current folder is not searched for an empty entry', async () => {
  expect(await find('package.json', [''])).toBe(undefined);
});

test('programs have extensions on Windows', async () => {
  const script = install('w', 'agent.cmd');
  expect(await find('agent', [join(home, 'w')], 'win32')).toBe(script);
  const program = install('w', 'agent.exe');
  expect(await find('agent', [join(home, 'w')], 'win32')).toBe(program);
});
