import { expect, test } from 'vitest';
import { digestOf } from '../base/digest.ts';
import { decodeOrigin, encodeOrigin } from './package-origin.ts';

const origin = { package: 'pypi/tiny', version: '1.0', digest: digestOf('x'), path: 'a.gguf' };

test('an origin is read back', () => expect(decodeOrigin(encodeOrigin(origin))).toEqual(origin));

test.each([
  undefined,
  null,
  'x',
  {},
  { ...origin, version: 1 },
  { ...origin, digest: 'sha256:x' },
  { ...origin, path: null },
])('%j is not an origin', (value) => expect(decodeOrigin(value)).toBeUndefined());
