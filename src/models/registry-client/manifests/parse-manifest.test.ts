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

describe('artifacts of other tools', () => {
  const typed = (mediaType: string, more: object = {}) => ({ ...layer, mediaType, ...more });
  const artifactOf = (configType: string, layers: readonly object[]) => {
    const manifest = parse({ schemaVersion: 2, config: typed(configType), layers });
    return manifest.kind === 'manifest' ? manifest.artifact : undefined;
  };
  const docker = (...names: string[]) =>
    artifactOf(
      'application/vnd.docker.ai.model.config.v0.1+json',
      names.map((name) => typed(`application/vnd.docker.ai.${name}`)),
    );
  const modelPack = (...names: string[]) =>
    artifactOf(
      'application/vnd.cncf.model.config.v1+json',
      names.map((name) => typed(`application/vnd.cncf.model.${name}`)),
    );

  test('a model of Ollama is none', () => {
    const ollama = typed('application/vnd.ollama.image.model');
    expect(artifactOf('application/vnd.docker.container.image.v1+json', [ollama])).toBeUndefined();
  });

  test('the layers of Docker', () => {
    const roles = docker('gguf.v3', 'mmproj', 'gguf.v3.lora', 'license', 'chat.template.jinja')?.layers;
    expect(roles?.map(({ role, packing }) => `${role} ${packing}`)).toEqual([
      'weights raw',
      'weights raw',
      'adapter raw',
      'license raw',
      'template raw',
    ]);
  });

  test('the layers of ModelPack, also with its older name', () => {
    const roles = modelPack('weight.v1.raw', 'weight.v1.tar', 'weight.config.v1.tar+gzip', 'doc.v1.raw')?.layers;
    expect(roles?.map(({ role, packing }) => `${role} ${packing}`)).toEqual([
      'weights raw',
      'weights tar',
      'settings tar+gzip',
      'documents raw',
    ]);
    const annotations = { 'org.cnai.model.filepath': 'a.gguf' };
    const older = typed('application/vnd.cnai.model.weight.v1.tar', { annotations });
    expect(artifactOf('application/vnd.cnai.model.config.v1+json', [older])?.layers).toMatchObject([
      { role: 'weights', packing: 'tar', path: 'a.gguf' },
    ]);
  });

  test('other layers are named once, without control characters', () => {
    const odd = `\u001b[31m${'x'.repeat(500)}`;
    const skipped = docker('gguf.v3', 'dduf', 'dduf', odd, 'constructor', '__proto__')?.skipped ?? [];
    expect(skipped).toHaveLength(4);
    expect(skipped[0]).toBe('application/vnd.docker.ai.dduf');
    expect(skipped[1]).toMatch(/^application\/vnd\.docker\.ai\.\?\?31mx+$/);
    expect(skipped[1]?.length).toBe(100);
    expect(modelPack('weight.v1.raw', 'code.v1.tar', 'doc.v1.tar+xz')?.skipped).toHaveLength(2);
  });

  test('weights that cannot be read, and artifacts without weights, are refused', () => {
    expect(() => modelPack('weight.v1.tar+xz')).toThrow('packed as application/vnd.cncf.model.weight.v1.tar+xz');
    expect(modelPack('weight.v1.tar+zstd')?.layers).toMatchObject([{ role: 'weights', packing: 'tar+zstd' }]);
    expect(() => modelPack('doc.v1.raw')).toThrow('has no weights');
    expect(() => docker('dduf')).toThrow('its layers are application/vnd.docker.ai.dduf');
    const container = typed('application/vnd.oci.image.layer.v1.tar+gzip');
    expect(() => artifactOf('application/vnd.oci.image.config.v1+json', [container])).toThrow('a container image');
  });
});
