// The client with scripts in place of pip and npm.

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { parsePackageReference } from '../package-reference.ts';
import { createPackageClient } from './package-client.ts';
import { maxToolMemoryBytes } from './run-command.ts';

const referenceTo = (text: string) =>
  parsePackageReference(text) as NonNullable<ReturnType<typeof parsePackageReference>>;
const never = new AbortController().signal;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-packages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The arguments are in `$@`; the destination of a download is the current folder. */
function install(program: string, script: string): void {
  writeFileSync(join(folder, program), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, program), 0o755);
}
const client = () => createPackageClient({ environment: { PATH: `${folder}:/usr/bin:/bin` }, clock: systemClock });
const downloadOf = (text: string, version: string, integrity?: string) => ({
  reference: referenceTo(text),
  resolved: { version, integrity },
  folder,
  onProgress: () => {},
});

describe.skipIf(process.platform === 'win32')('with scripts in place of the programs', () => {
  test('a complete file is not downloaded again; nothing else remains', async () => {
    install('python3', 'echo run >> ../runs; echo wheel > a-1.0-py3-none-any.whl');
    const path = await client().download(downloadOf('pypi/a', '1.0'), never);
    expect(readFileSync(path, 'utf8')).toBe('wheel\n');
    expect(await client().download(downloadOf('pypi/a', '1.0'), never)).toBe(path);
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('run\n');
    expect(readdirSync(folder).sort()).toEqual(['1.0.package', 'python3', 'runs']);
  });

  test('another program is tried if Python has no pip', async () => {
    install('python3', 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    install('python', 'echo "a (2.0)"');
    expect(await client().resolve(referenceTo('pypi/a'), folder, never)).toEqual({ version: '2.0' });
  });

  test('without the program, the error says what to install', async () => {
    const bare = createPackageClient({ environment: { PATH: folder }, clock: systemClock });
    await expect(bare.resolve(referenceTo('npm/a'), folder, never)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('npm is not installed'),
    });
  });

  test('a file that does not match the integrity is removed', async () => {
    install('npm', 'echo tarball > a-1.0.0.tgz');
    const download = downloadOf('npm/a', '1.0.0', `sha512-${Buffer.alloc(64).toString('base64')}`);
    await expect(client().download(download, never)).rejects.toMatchObject({ code: 'digest_mismatch' });
    expect(readdirSync(folder)).toEqual(['npm']);
  });

  // macOS knows no such limit.
  test.skipIf(process.platform !== 'linux')('the memory of the program is limited', async () => {
    install('python3', 'echo "a ($(ulimit -d))"');
    const { version } = await client().resolve(referenceTo('pypi/a'), folder, never);
    expect(Number(version) * 1024).toBe(maxToolMemoryBytes);
  });

  test.each([
    ['pypi/a', 'python3', 'MemoryError'],
    ['npm/a', 'npm', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
  ])('%s: a program that needs more memory is reported', async (reference, program, line) => {
    install(program, `echo "${line}" >&2; exit 1`);
    const error = { code: 'registry_invalid_response', message: expect.stringContaining('needs more than 1024 MiB') };
    await expect(client().resolve(referenceTo(reference), folder, never)).rejects.toMatchObject(error);
  });

  test('errors do not contain passwords', async () => {
    install('python3', 'echo "ERROR: failed to read https://user:secret@index.example/simple" >&2; exit 1');
    await expect(client().resolve(referenceTo('pypi/a'), folder, never)).rejects.toThrow(
      'pypi/a: failed to read https://index.example/simple',
    );
  });

  test('canceling and closing end the program and the processes that it has started', async () => {
    install('python3', 'sleep 1000 & echo $! > ../child; echo $$ > ../parent; wait');
    const isAlive = (name: string): boolean => {
      const state = (): string => readFileSync(`/proc/${readFileSync(join(folder, name), 'utf8').trim()}/stat`, 'utf8');
      try {
        return !state().includes(') Z ');
      } catch {
        return false;
      }
    };
    for (const how of ['signal', 'close'] as const) {
      rmSync(join(folder, 'parent'), { force: true });
      const controller = new AbortController();
      const running = client();
      const result = running.download(downloadOf('pypi/a', '1.0'), controller.signal);
      result.catch(() => {});
      await expect.poll(() => readdirSync(folder)).toContain('parent');
      if (how === 'signal') controller.abort();
      else running.close();
      await expect(result).rejects.toMatchObject({ code: 'cancelled' });
      await expect.poll(() => isAlive('parent') || isAlive('child')).toBe(false);
      expect(readdirSync(folder)).not.toContain('work');
    }
  });

  test('the growth of the file is progress', async () => {
    install(
      'python3',
      'echo "Downloading a.whl (2 kB)"; head -c 1000 /dev/zero > a.whl; while [ ! -e ../seen ]; do sleep 0.05; done; head -c 2000 /dev/zero > a.whl',
    );
    const seen: [number, number | undefined][] = [];
    const onProgress = (completed: number, total: number | undefined): void => {
      seen.push([completed, total]);
      writeFileSync(join(folder, 'seen'), '');
    };
    await client().download({ ...downloadOf('pypi/a', '1.0'), onProgress }, never);
    expect(seen[0]).toEqual([1000, 2000]);
    expect(seen.at(-1)).toEqual([2000, 2000]);
  });
});
