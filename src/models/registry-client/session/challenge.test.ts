import { expect, test } from 'vitest';
import { parseChallenge } from './challenge.ts';

test.each([
  [
    'Bearer realm="https://a.example/token",service="a.example",scope="repository:x/y:pull repository:z/w:pull"',
    {
      scheme: 'bearer',
      realm: 'https://a.example/token',
      service: 'a.example',
      scopes: ['repository:x/y:pull', 'repository:z/w:pull'],
    },
  ],
  [
    'bearer REALM="https://a.example/t,x=\\"1\\"" , scope=repository:x/y:push,pull',
    { scheme: 'bearer', realm: 'https://a.example/t,x="1"', service: '', scopes: ['repository:x/y:push'] },
  ],
  ['Basic realm="my registry"', { scheme: 'basic', realm: 'my registry', service: '', scopes: [] }],
  ['Basic', { scheme: 'basic', realm: '', service: '', scopes: [] }],
  ['Negotiate abc', undefined],
  ['', undefined],
  [undefined, undefined],
  [`Bearer realm="${'a'.repeat(10_000)}"`, undefined],
])('%s', (header, expected) => {
  expect(parseChallenge(header)).toEqual(expected);
});

test.each([
  ['blanks around the equals sign', 'Bearer realm = "a" , service=b', { realm: 'a', service: 'b' }],
  ['escapes', 'Bearer realm="a\\"b",service="c"', { realm: 'a"b', service: 'c' }],
  ['an open quote', 'Bearer service=b,realm="a', { realm: '', service: 'b' }],
  ['a value that is missing', 'Bearer service=b,realm=', { realm: '', service: 'b' }],
])('%s', (_, header, expected) => {
  expect(parseChallenge(header)).toMatchObject(expected);
});

test.each(['a', 'a="', 'a=', ' ', '"', '\\"', 'a ='])(
  'a header that repeats %j is no challenge with a realm',
  (part) => {
    const header = `Bearer ${part.repeat(8000)}`.slice(0, 8192);
    expect(parseChallenge(header)?.realm).toBe('');
  },
);
