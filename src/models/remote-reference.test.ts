import { expect, test } from 'vitest';
import { formatRemoteReference, parseRemoteReference } from './remote-reference.ts';

test('a reference has a remote and the name of a model, which may contain slashes', () => {
  const reference = parseRemoteReference('remote://gpu/meta-llama/Llama-3:8b');
  expect(reference).toEqual({ remote: 'gpu', model: 'meta-llama/Llama-3:8b' });
  expect(reference && formatRemoteReference(reference)).toBe('remote://gpu/meta-llama/Llama-3:8b');
});

test('other texts are no references', () => {
  expect(parseRemoteReference('gpu/llama3')).toBeUndefined();
});

test.each(['remote://', 'remote://gpu', 'remote://gpu/', 'remote:///llama3', 'remote://a b/c', 'remote://gpu/a b'])(
  '%s is refused',
  (text) => {
    expect(() => parseRemoteReference(text)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  },
);
