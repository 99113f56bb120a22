import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cacheLimits, findRepositories } from './find-files.ts';

let root: string;
let hub: string;
let studio: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hearth-caches-'));
  [hub, studio] = [join(root, 'hub'), join(root, 'studio')];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content = 'GGUF'): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
/** As huggingface_hub does it. */
function cache(repository: string, commit: string, name: string, blob: string): void {
  const folder = join(hub, `models--${repository.replace('/', '--')}`);
  put(join(folder, 'blobs', blob), blob);
  const path = join(folder, 'snapshots', commit, name);
  mkdirSync(dirname(path), { recursive: true });
  const up = '../'.repeat(name.split('/').length + 1);
  symlinkSync(`${up}blobs/${blob}`, path);
}
const find = async (entries?: number) =>
  (await findRepositories({ huggingFace: hub, lmStudio: [studio, join(root, 'older')] }, entries)).map(
    ({ program, id, files }) => [program, id, ...files.map(({ name, bytes }) => `${name} ${bytes}`)],
  );

test('files of snapshots are found through their links, the one that main names first', async () => {
  cache('org/repo--x', 'old', 'm-Q4_0.gguf', 'first');
  cache('org/repo--x', 'new', 'm-Q4_0.gguf', 'second-version');
  cache('org/repo--x', 'old', 'Q8_0/m-00001-of-00002.gguf', 'part');
  put(join(hub, 'models--org--repo--x', 'refs', 'main'), 'new');
  cache('org/other', 'c', 'README.md', 'text');
  put(join(hub, 'models--org--copied', 'snapshots', 'c', 'plain.gguf'), '12');
  put(join(hub, 'datasets--org--repo', 'snapshots', 'c', 'd.gguf'));
  put(join(studio, 'pub', 'repo', 'a.gguf'));
  put(join(root, 'older', 'pub', 'old', 'b.gguf'));
  put(join(studio, 'stray.gguf'));
  expect(await find()).toEqual([
    ['huggingface', 'org/copied', 'plain.gguf 2'],
    ['huggingface', 'org/repo--x', 'm-Q4_0.gguf 14', 'Q8_0/m-00001-of-00002.gguf 4'],
    ['lmstudio', 'pub/repo', 'a.gguf 4'],
    ['lmstudio', 'pub/old', 'b.gguf 4'],
  ]);
});

test('links that lead out of the layout, and what is not a file, are left out', async () => {
  const secret = put(join(root, 'secret.gguf'));
  const repository = join(hub, 'models--org--repo');
  mkdirSync(join(repository, 'snapshots', 'c'), { recursive: true });
  mkdirSync(join(repository, 'blobs', 'folder'), { recursive: true });
  const link = (target: string, name: string) => symlinkSync(target, join(repository, 'snapshots', 'c', name));
  link(secret, 'absolute.gguf');
  link('../../../../secret.gguf', 'relative.gguf');
  link('../../blobs/missing', 'missing.gguf');
  link('../../blobs/folder', 'folder.gguf');
  link('loop.gguf', 'loop.gguf');
  symlinkSync(secret, join(repository, 'blobs', 'chain'));
  link('../../blobs/chain', 'chain.gguf');
  symlinkSync(root, join(repository, 'snapshots', 'linked'));
  symlinkSync(root, join(hub, 'models--org--linked'));
  mkdirSync(join(studio, 'pub', 'repo'), { recursive: true });
  symlinkSync(secret, join(studio, 'pub', 'repo', 'link.gguf'));
  symlinkSync(root, join(studio, 'pub', 'up'));
  if (process.platform === 'linux') execFileSync('mkfifo', [join(studio, 'pub', 'repo', 'pipe.gguf')]);
  expect(await find()).toEqual([]);
});

test('the number of entries and the depth are bounded', async () => {
  const deep = join(studio, 'pub', 'repo', ...Array.from({ length: cacheLimits.depth }, () => 'd'), 'deep.gguf');
  put(deep);
  expect(await find()).toEqual([]);
  const folder = join(studio, 'aaa', 'many');
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < 100; index++) symlinkSync('x', join(folder, String(index)));
  put(join(studio, 'zzz', 'repo', 'late.gguf'));
  expect(await find(100)).toEqual([]);
  expect(await find(200)).toEqual([['lmstudio', 'zzz/repo', 'late.gguf 4']]);
});

test('missing folders have no files', async () => {
  expect(await find()).toEqual([]);
});
