import { expect, test } from 'vitest';
import { resolveFiles } from './resolve-files.ts';

const files = { kind: 'local', key: 'k', weightsPath: '/b/w', adapterPaths: [], fileBytes: 10 } as const;
const weights = { row: 'gptoss', weights: true, projector: false };

test("a model in llama.cpp's dialect is loaded as it is", () => {
  expect(resolveFiles(files, { embedsOnly: false })).toBe(files);
});

test('weights are translated while they are loaded, or before', () => {
  const facts = { embedsOnly: false, translated: weights };
  expect(resolveFiles(files, facts, true)).toMatchObject({ weightsPath: '/b/w', derived: [] });
  const path = '/b/w-translated-weights-1';
  expect(resolveFiles(files, facts, false)).toMatchObject({
    weightsPath: path,
    derived: [{ part: 'weights', from: '/b/w', path }],
  });
});

test('the projector in the file of the weights becomes a file of its own', () => {
  const facts = { embedsOnly: false, translated: { ...weights, ownProjectorBytes: 4 } };
  const path = '/b/w-translated-projector-1';
  expect(resolveFiles(files, facts, true)).toMatchObject({
    weightsPath: '/b/w',
    projectorPath: path,
    projectorBytes: 4,
    derived: [{ part: 'projector', from: '/b/w', path }],
  });
});

test('a projector of its own is preferred, and translated if it must be', () => {
  const withProjector = { ...files, projectorPath: '/b/p', projectorBytes: 3 };
  const own = { embedsOnly: false, translated: { ...weights, ownProjectorBytes: 4 } };
  expect(resolveFiles(withProjector, own, true)).toMatchObject({
    projectorPath: '/b/p',
    projectorBytes: 3,
    derived: [],
  });
  const old = { embedsOnly: false, translated: { row: 'clip', weights: false, projector: true } };
  const path = '/b/p-translated-projector-1';
  expect(resolveFiles(withProjector, old, true)).toMatchObject({
    weightsPath: '/b/w',
    projectorPath: path,
    derived: [{ part: 'projector', from: '/b/p', path }],
  });
});
