import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { formatPrivateKey, generatePrivateKey, parsePrivateKey } from './private-key.ts';
import { toPublicBlobText } from './public-key.ts';
import { checkTokenRequest, encodeGoQuery, signTokenRequest } from './token-request.ts';

const key = generatePrivateKey('');
const parameters = {
  realm: 'https://registry.example/token',
  service: 'registry.example',
  scopes: ['repository:ann/ember:pull,push', 'repository:bob/ember:pull'],
  nowSeconds: 1_700_000_000.9,
  nonce: 'AAECAwQFBgcICQoLDA0ODw',
};

describe('a token request', () => {
  it('has a sorted and escaped query with one parameter per scope', () => {
    expect(signTokenRequest(key, parameters).url).toBe(
      'https://registry.example/token?nonce=AAECAwQFBgcICQoLDA0ODw&scope=repository%3Aann%2Fember%3Apull%2Cpush&' +
        'scope=repository%3Abob%2Fember%3Apull&service=registry.example&ts=1700000000',
    );
  });

  it('keeps the query of the realm', () => {
    const { url } = signTokenRequest(key, {
      ...parameters,
      realm: 'http://h:5000/auth?zone=a b&account=me#x',
      scopes: [],
    });
    expect(url).toBe(
      'http://h:5000/auth?account=me&nonce=AAECAwQFBgcICQoLDA0ODw&service=registry.example&ts=1700000000&zone=a+b',
    );
  });

  it('is signed over method, URL and the digest of an empty body with the key it carries', () => {
    const { url, authorization } = signTokenRequest(key, parameters);
    const text = `GET,${url},ZTNiMGM0NDI5OGZjMWMxNDlhZmJmNGM4OTk2ZmI5MjQyN2FlNDFlNDY0OWI5MzRjYTQ5NTk5MWI3ODUyYjg1NQ==`;
    const plain = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), key.seed]),
      format: 'der',
      type: 'pkcs8',
    });
    const expected = `${toPublicBlobText(key.publicKey)}:${sign(null, Buffer.from(text), plain).toString('base64')}`;
    expect(authorization).toBe(expected);
  });

  it('is accepted unchanged and rejected after any change', () => {
    const { url, authorization } = signTokenRequest(parsePrivateKey(formatPrivateKey(key)), parameters);
    expect(checkTokenRequest({ url, authorization }).bytes).toEqual(key.publicKey.bytes);
    const other = toPublicBlobText(generatePrivateKey('').publicKey);
    for (const changed of [
      { url: `${url}0`, authorization },
      { url: url.replace('https', 'http'), authorization },
      { url, authorization: authorization.replace(/^[^:]+/, other) },
      { url, authorization: authorization.slice(0, -4) },
      { url, authorization: `Bearer ${authorization}` },
      { url, authorization: '' },
    ])
      expect(() => checkTokenRequest(changed)).toThrow(HearthError);
  });
});

it('escapes exactly what Go escapes', () => {
  expect(encodeGoQuery([['k', "AZaz09-_.~ !'()*&=+%/?:@,;€\ud800"]])).toBe(
    'k=AZaz09-_.~+%21%27%28%29%2A%26%3D%2B%25%2F%3F%3A%40%2C%3B%E2%82%AC%EF%BF%BD',
  );
  expect(
    encodeGoQuery([
      ['b', '2'],
      ['a', 'z'],
      ['b', '1'],
      ['B', ''],
    ]),
  ).toBe('B=&a=z&b=2&b=1');
});
