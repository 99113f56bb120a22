import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { chooseEntry, parseRemoteManifest } from './parse-manifest.ts';

const layer = { mediaType: 'x', digest: digestOf('a'), size: 1 };
const config = { mediaType: 'x', digest: digestOf('c'), size: 2 };
const parse = (value: unknown) => parseRemoteManifest(Buffer.from(JSON.stringify(value)));

test('layers keep their order, the config is last, each digest occurs once', () => {
  const other = { ...layer, digest: digestOf('b') };
  expect(parse({ schemaVersion: 2, config, layers: [layer, other, layer] })).toEqual({
    kind: 'manifest',
    layers: [layer, other, config].map(({ digest, size }) => ({ digest, size })),
  });
});

describe('rejects', () => {
  test.each([
    ['a path in a digest', { config, layers: [{ ...layer, digest: 'sha256:../../../etc/passwd' }] }, /invalid digest/],
    ['another separator', { config, layers: [{ ...layer, digest: layer.digest.replace(':', '-') }] }, /invalid digest/],
    ['upper case', { config, layers: [{ ...layer, digest: `sha256:${'A'.repeat(64)}` }] }, /invalid digest/],
    ['another algorithm', { config, layers: [{ ...layer, digest: `sha512:${'a'.repeat(128)}` }] }, /invalid digest/],
    ['a trailing line break', { config, layers: [{ ...layer, digest: `${layer.digest}\n` }] }, /invalid digest/],
    ['a negative size', { config, layers: [{ ...layer, size: -1 }] }, /the size of \S+ is invalid/],
    ['a fractional size', { config, layers: [{ ...layer, size: 0.5 }] }, /the size of \S+ is invalid/],
    ['a size as text', { config, layers: [{ ...layer, size: '1' }] }, /the size of \S+ is invalid/],
    ['an excessive size', { config, layers: [{ ...layer, size: 2 ** 50 }] }, /over the limit/],
    ['two sizes', { config, layers: [layer, { ...layer, size: 7 }] }, /two sizes/],
    ['no layers', { config }, /no layers/],
    ['no config', { layers: [layer] }, /not an object/],
    ['too many layers', { config, layers: new Array(5000).fill(layer) }, /more than 2048/],
    ['a list', [], /not an object/],
    ['an index of large manifests', { manifests: [{ ...layer, size: 2 ** 30 }] }, /an index entry of 1073741824 bytes/],
  ])('%s', (_, value, message) => {
    expect(() => parse(value)).toThrow(message);
  });

  test('arbitrary input with nothing but a HearthError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.record({ layers: fc.anything(), config: fc.anything() }).map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            parseRemoteManifest(Buffer.from(text));
          } catch (error) {
            expect(error).toBeInstanceOf(HearthError);
          }
        },
      ),
    );
  });
});

test('chooses the index entry for this platform, otherwise any other', () => {
  const entry = (platform: string) => ({ digest: digestOf(platform), size: 1, platform });
  const [amd, arm, none] = [entry('linux/amd64'), entry('linux/arm64'), entry('unknown/unknown')];
  expect(chooseEntry([none, amd, arm], 'linux/arm64')).toBe(arm);
  expect(chooseEntry([none, amd, arm], 'darwin/arm64')).toBe(amd);
  expect(chooseEntry([none], 'linux/arm64')).toBe(none);
  expect(() => chooseEntry([], 'linux/arm64')).toThrow('an empty index');
});
