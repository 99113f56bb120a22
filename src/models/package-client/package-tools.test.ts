import { expect, test } from 'vitest';
import { parsePackageReference } from '../package-reference.ts';
import { npmTool } from './npm-tool.ts';
import { pipTool } from './pip-tool.ts';

const referenceTo = (text: string) =>
  parsePackageReference(text) as NonNullable<ReturnType<typeof parsePackageReference>>;
const outputOf = (stderr: string, stdout = '') => ({ code: 1, stdout, stderr });

test('pip gets only wheels, without dependencies', () => {
  const args = pipTool.downloadArguments(referenceTo('pypi/a'), '1.0');
  expect(args).toEqual(expect.arrayContaining(['--no-deps', '--only-binary', ':all:', 'a==1.0']));
  expect(args[0]).toBe('download');
});

test('npm runs no scripts', () => {
  const args = npmTool.downloadArguments(referenceTo('npm/@a/b'), '1.0.0');
  expect(args).toEqual(expect.arrayContaining(['pack', '--ignore-scripts', '@a/b@1.0.0']));
});

test('the newest version is the one that pip prints, unless one is given', () => {
  expect(pipTool.parseResolved('a-b (1.2.3)\nAvailable versions: 1.2.3, 1.0\n', referenceTo('pypi/a-b'))).toEqual({
    version: '1.2.3',
  });
  expect(pipTool.parseResolved('', referenceTo('pypi/a@1.0'))).toEqual({ version: '1.0' });
  expect(() => pipTool.parseResolved('hello', referenceTo('pypi/a'))).toThrow('pip did not print a version');
});

const sha256 = 'ab'.repeat(32);
const link = (file: string, version: string) =>
  `  Found link ${file} (from http://host/simple/a/) (requires-python:>=3), version: ${version}\n`;
const wheel = 'http://host/files/a-1.0-py3-none-any.whl';
const integrity = `sha256-${Buffer.alloc(32, 0xab).toString('base64')}`;

test.each<[string, string, object]>([
  ['one wheel', link(`${wheel}#sha256=${sha256}`, '1.0'), { url: wheel, integrity }],
  ['no hash', link(wheel, '1.0'), { url: wheel }],
  ['a source package', link(`http://host/a-1.0.tar.gz#sha256=${sha256}`, '1.0'), {}],
  ['another version', link(`${wheel}#sha256=${sha256}`, '1.0.1'), {}],
  ['several wheels', link(wheel, '1.0').repeat(2), {}],
  ['a password', link(`http://user:****@host/a.whl#sha256=${sha256}`, '1.0'), {}],
  ['a file of this machine', link(`file:///a-1.0.whl#sha256=${sha256}`, '1.0'), {}],
])('the address of a wheel in the output of pip: %s', (_, stdout, expected) => {
  expect(pipTool.parseResolved(`${stdout}a (1.0)\n`, referenceTo('pypi/a'))).toEqual({ version: '1.0', ...expected });
});

test('the version and the integrity are those that npm prints; of several versions, the newest', () => {
  const dist = { integrity: 'sha512-x', unpackedSize: 10 };
  const resolved = { version: '1.1.0', integrity: 'sha512-x', estimatedSize: 10 };
  const parse = (value: unknown) => npmTool.parseResolved(JSON.stringify(value), referenceTo('npm/a'));
  expect(parse({ version: '1.1.0', dist })).toEqual(resolved);
  expect(parse([{ version: '1.0.0' }, { version: '1.1.0', dist }])).toEqual(resolved);
  for (const value of [{}, [], { version: '../x' }, null])
    expect(() => parse(value)).toThrow('did not print a version');
});

test.each([
  ['  Downloading a-1.0-py3-none-any.whl (92.9 MB)', 92_900_000],
  ['  Downloading a.whl (12 kB)', 12_000],
  ['Downloading a.whl (970 bytes)', 970],
  ['Saved ./a.whl', undefined],
])('the size in "%s" is %s', (line, size) => expect(pipTool.sizeIn(line)).toBe(size));

test.each([
  ['ERROR: No matching distribution found for a', 'model_not_found'],
  [
    'WARNING: Retrying (Retry(total=4)) after connection broken\nERROR: No matching distribution found for a',
    'registry_failed',
  ],
  ['ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.', 'digest_mismatch'],
  ['ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device', 'disk_full'],
  ['ERROR: HTTP error 403 while getting x', 'registry_denied'],
  ["ERROR: Wheel 'a' located at /x/a.whl is invalid.", 'registry_invalid_response'],
  ['something else', 'registry_failed'],
])('pip: "%s" is %s', (stderr, code) => expect(pipTool.explain(outputOf(stderr)).code).toBe(code));

test('pip: a full disk is said in words, also when pip prints a traceback', () => {
  const stderr = 'ERROR: Exception:\nTraceback (most recent call last):\nOSError: [Errno 28] No space left on device\n';
  expect(pipTool.explain(outputOf(stderr))).toEqual({ code: 'disk_full', reason: 'the disk of the server is full' });
});

test.each([
  ['E404', 'model_not_found'],
  ['ETARGET', 'model_not_found'],
  ['EINTEGRITY', 'digest_mismatch'],
  ['ENOSPC', 'disk_full'],
  ['E401', 'registry_denied'],
  ['Z_BUF_ERROR', 'registry_invalid_response'],
  ['ECONNREFUSED', 'registry_failed'],
])('npm: %s is %s, in both forms of errors', (code, expected) => {
  const json = JSON.stringify({ error: { code, summary: 'the reason' } });
  expect(npmTool.explain(outputOf('', json))).toEqual({ code: expected, reason: 'the reason' });
  const text = `npm error code ${code}\nnpm error errno -5\nnpm error the reason\nnpm error more\n`;
  expect(npmTool.explain(outputOf(text))).toEqual({ code: expected, reason: 'the reason' });
});
