import { expect, test } from 'vitest';
import { parseConvertMessage } from './convert-messages.ts';

test.each([
  ['{"kind":"progress","done":1,"total":2}', { kind: 'progress', done: 1, total: 2 }],
  ['{"kind":"done"}', { kind: 'done' }],
  ['{"kind":"done","maxTokens":256,"other":1}', { kind: 'done', maxTokens: 256 }],
  ['{"kind":"done","maxTokens":-1}', { kind: 'done' }],
  ['{"kind":"failed","code":"bad_request","message":"x"}', { kind: 'failed', code: 'bad_request', message: 'x' }],
  [
    '{"kind":"failed","code":"toString","message":1,"systemCode":"ENOSPC"}',
    { kind: 'failed', code: 'internal', message: '1', systemCode: 'ENOSPC' },
  ],
  ['{"kind":"progress","done":"1","total":2}', undefined],
  ['{"kind":"other"}', undefined],
  ['null', undefined],
  ['a warning of Node', undefined],
])('%s', (line, message) => {
  expect(parseConvertMessage(line)).toEqual(message);
});
