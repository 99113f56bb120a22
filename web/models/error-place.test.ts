import { expect, test } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { placeError } from './error-place.ts';

const modelfile = '# comment\n\n  from nowhere\nSYSTEM x\n';
const errorOf = (message: string, code = 'bad_request') => new ApiError(message, { status: 400, code });

test.each([
  [errorOf('(line 4): unknown parameter\n(line 5): x'), { message: 'unknown parameter\n(line 5): x', line: 4 }],
  [errorOf('invalid model name'), { message: 'invalid model name' }],
  [
    errorOf('pull model manifest: not found', 'model_not_found'),
    { message: 'pull model manifest: not found', line: 3 },
  ],
  [new Error('failed'), { message: 'failed' }],
])('%s', (error, expected) => {
  expect(placeError(error, modelfile)).toEqual(expected);
});

test('without FROM, an error about the base model has no line', () => {
  expect(placeError(errorOf('not found', 'model_not_found'), 'SYSTEM x')).toEqual({ message: 'not found' });
});
