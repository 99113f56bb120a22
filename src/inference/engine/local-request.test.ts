import { expect, test } from 'vitest';
import type { LoadOptions } from '../../models/options.ts';
import type { ModelSource } from '../model/model-source.ts';
import { requireLocal } from './local-request.ts';

const requestFor = (source: ModelSource) => ({ name: 'ember', source, options: {} as LoadOptions });

test('a request for a local model is returned unchanged', () => {
  const request = requestFor({ kind: 'local', key: 'a', weightsPath: 'weights', adapterPaths: [], fileBytes: 0 });
  expect(requireLocal(request)).toEqual(request);
});

test('a request for a remote model is rejected', () => {
  const remote = requestFor({ kind: 'remote', key: 'a', remote: 'gpu', model: 'ember', capabilities: [] });
  expect(() => requireLocal(remote)).toThrow(
    expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('"ember" is on another server') }),
  );
});
