import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findBackend, findVisionBackend, packageCandidates } from './find-backend.ts';

test.each([
  ['auto', 'linux', 'x64', ['linux-x64']],
  ['cpu', 'linux', 'arm64', ['linux-arm64']],
  ['cuda', 'win32', 'x64', ['win-x64']],
  ['auto', 'darwin', 'arm64', ['mac-arm64-metal']],
  ['cpu', 'darwin', 'arm64', ['mac-arm64-metal']],
  ['metal', 'darwin', 'arm64', ['mac-arm64-metal']],
  ['cpu', 'darwin', 'x64', ['mac-x64']],
] as const)('%s on %s %s: %j', (build, platform, arch, names) => {
  expect(packageCandidates(build, { platform, arch })).toEqual(names.map((name) => `@node-llama-cpp/${name}`));
});

test('the vision build is installed, in one file and in the required version', () => {
  const { base, ggml, llama, packageVersion } = findVisionBackend();
  expect(new Set([base, ggml, llama]).size).toBe(1);
  expect(existsSync(llama)).toBe(true);
  expect(packageVersion).toBe('1.7.15');
});

test('a GPU build replaces the file of the vision build', () => {
  expect(findVisionBackend('/b/index.node')).toEqual({
    ...findVisionBackend(),
    base: '/b/index.node',
    ggml: '/b/index.node',
    llama: '/b/index.node',
  });
});

test('the build for this machine is installed with all its files', () => {
  const { base, ggml, llama } = findBackend('cpu');
  expect([base, ggml, llama].every(existsSync)).toBe(true);
});

test('an error names the missing build', () => {
  expect(() => findBackend('metal')).toThrow(/none of @node-llama-cpp\/.*metal.* is installed/);
});
