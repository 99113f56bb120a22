import { expect, test } from 'vitest';
import { checkEndpoint, checkRemote, decodeRemotes, encodeRemotes } from './remote-record.ts';

test.each([
  ['http://gpu1:8000', 'http://gpu1:8000'],
  ['https://gpu1.example/', 'https://gpu1.example'],
  ['https://gpu1.example/v1/', 'https://gpu1.example'],
  ['https://gpu1.example/team/v1', 'https://gpu1.example/team'],
])('the address %s is %s', (url, expected) => {
  expect(checkEndpoint({ url })).toEqual({
    id: expected,
    url: expected,
    kind: 'auto',
    servedModel: '',
    keyRef: '',
    caFile: '',
  });
});

test.each([
  [{ url: 'gpu1:8000' }, 'url must be'],
  [{ url: 'file:///etc/passwd' }, 'url must be'],
  [{ url: 'https://user:pass@gpu1' }, 'url must be'],
  [{ url: 'https://gpu1/?a=b' }, 'url must be'],
  [{ url: 7 }, 'url must be'],
  [{ url: 'http://gpu1', kind: 'tgi' }, 'kind must be'],
  [{ url: 'http://gpu1', servedModel: 'a b' }, 'model must be'],
  [{ url: 'http://gpu1', keyRef: 'sk-123' }, 'the key must be'],
  [{ url: 'http://gpu1', keyRef: 'file:relative' }, 'the key must be'],
  [{ url: 'http://gpu1', caFile: 'relative' }, 'authorities'],
  [null, 'url must be'],
])('%j is refused', (endpoint, message) => {
  expect(() => checkEndpoint(endpoint)).toThrow(message);
});

test('a remote has a name and different endpoints', () => {
  const endpoints = [{ url: 'http://a' }, { url: 'http://b' }];
  expect(checkRemote({ name: 'gpu', endpoints }).endpoints).toHaveLength(2);
  expect(() => checkRemote({ name: 'g u', endpoints })).toThrow('the name of a remote');
  expect(() => checkRemote({ name: 'gpu', endpoints: [] })).toThrow('endpoints');
  expect(() => checkRemote({ name: 'gpu', endpoints: [endpoints[0], { url: 'http://a/v1' }] })).toThrow('same url');
});

test('remotes come back from their file, and other files are refused', () => {
  const remotes = [checkRemote({ name: 'gpu', endpoints: [{ url: 'http://a', keyRef: 'env:KEY', kind: 'vllm' }] })];
  expect(decodeRemotes(encodeRemotes(remotes))).toEqual(remotes);
  expect(() => decodeRemotes('{}')).toThrow('not a file of remotes');
  expect(() => decodeRemotes(encodeRemotes([...remotes, ...remotes]))).toThrow('same name');
});
