import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDigestReference, parseRepositoryName, parseWireDigest, toModelName } from './repository-name.ts';

describe('repository names', () => {
  it('map to model names with the default host', () => {
    const repository = parseRepositoryName({ namespace: 'ann', model: 'ember.v2' });
    expect(toModelName(repository, 'Q4_0')).toEqual({
      host: 'registry.ollama.ai',
      namespace: 'ann',
      model: 'ember.v2',
      tag: 'Q4_0',
    });
  });

  it.each(['', '.', '..', 'a/b', '../b', 'a:b', 'a\\b', 'a b', 'a\0', '-a', 'a'.repeat(81), 'ä'])(
    'cannot have %j as a part',
    (part) => {
      expect(() => parseRepositoryName({ namespace: part, model: 'm' })).toThrow('<namespace>/<model>');
      expect(() => parseRepositoryName({ namespace: 'n', model: part })).toThrow('<namespace>/<model>');
      expect(() => toModelName({ namespace: 'n', model: 'm' }, part)).toThrow('a tag has');
    },
  );

  it('are kept unchanged or rejected', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (namespace, model, tag) => {
        try {
          expect(toModelName({ namespace, model }, tag)).toMatchObject({ namespace, model, tag });
        } catch (error) {
          expect(error).toHaveProperty('protocol.code', 'TAG_INVALID');
        }
      }),
    );
  });
});

it('a digest on the wire must be canonical', () => {
  const hex = 'ab'.repeat(32);
  expect(parseWireDigest(`sha256:${hex}`)).toBe(`sha256:${hex}`);
  for (const text of [
    `sha256-${hex}`,
    `sha256:${hex.toUpperCase()}`,
    `sha256:${hex}/..`,
    'sha256:../../x',
    `sha512:${hex}`,
  ])
    expect(() => parseWireDigest(text)).toThrow('64 lowercase hex digits');
  expect([isDigestReference('sha256:x'), isDigestReference('latest')]).toEqual([true, false]);
});
