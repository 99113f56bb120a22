import { expect, test } from 'vitest';
import { parseReference } from './reference.ts';

const hex = '0123456789abcdef'.repeat(4);

test.each([`@sha256:${hex}`, `@sha256-${hex}`, `@sha256:${hex.toUpperCase()}`])('%s is a blob', (text) => {
  expect(parseReference(text)).toEqual({ kind: 'blob', digest: `sha256:${hex}` });
});

test.each([
  ['ember', 'ember', 'latest'],
  ['ember:q8', 'ember', 'q8'],
  ['localhost:5000/me/ember', 'ember', 'latest'],
  ['weights.gguf', 'weights.gguf', 'latest'],
])('%s is a model', (text, model, tag) => {
  expect(parseReference(text)).toMatchObject({ kind: 'model', text, name: { model, tag } });
});

test.each([
  './weights.gguf',
  '../weights.gguf',
  '/weights.gguf',
  `/root/.ollama/models/blobs/sha256-${hex}`,
  '~/weights.gguf',
  'my weights.gguf',
  'a/b/c/d.gguf',
  'C:\\models\\x.gguf',
  'C:/models/x.gguf',
  '.',
])('%s is a path', (path) => {
  expect(parseReference(path)).toEqual({ kind: 'path', path });
});

test.each(['', '@', '@sha256:0123', '@ember'])('%j is refused', (text) => {
  expect(() => parseReference(text)).toThrow(
    expect.objectContaining({ code: 'bad_request', message: `invalid model reference: ${text}` }),
  );
});

test('a package is not a model of the namespaces pypi and npm', () => {
  const text = 'npm/@team/tiny@1.0.0#a.gguf';
  const packaged = { source: 'npm', name: '@team/tiny', version: '1.0.0', path: 'a.gguf' };
  expect(parseReference(text)).toEqual({ kind: 'package', package: packaged, text });
  expect(parseReference('registry.ollama.ai/pypi/x')).toMatchObject({ kind: 'model' });
  expect(() => parseReference('pypi/-x')).toThrow('invalid package name');
});
