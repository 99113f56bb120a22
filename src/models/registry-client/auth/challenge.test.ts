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
