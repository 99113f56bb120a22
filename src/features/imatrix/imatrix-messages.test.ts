import { expect, test } from 'vitest';
import { parseImatrixMessage } from './imatrix-messages.ts';

test.each([
  ['{"kind":"progress","done":1,"total":2}', { kind: 'progress', done: 1, total: 2 }],
  ['{"kind":"done","chunks":3,"matrices":7,"other":1}', { kind: 'done', chunks: 3, matrices: 7 }],
  ['{"kind":"failed","code":"bad_request","message":"x"}', { kind: 'failed', code: 'bad_request', message: 'x' }],
  ['{"kind":"progress","done":-1,"total":2}', undefined],
  ['{"kind":"done","chunks":"3","matrices":7}', undefined],
  ['{"kind":"done"}', undefined],
  ['null', undefined],
  ['a warning of Node', undefined],
])('%s', (line, message) => {
  expect(parseImatrixMessage(line)).toEqual(message);
});
