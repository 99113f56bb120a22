import { expect, test } from 'vitest';
import { ClientError } from '../client/client-error.ts';
import { explain, withModel } from './explain.ts';

test.each([
  ['no server at http://x', new ClientError('unreachable', 'no server at http://x'), 'start one with `hearth serve`'],
  [
    'a missing model, in whichever words',
    new ClientError('refused', 'model "x" not found, try pulling it first', { status: 404 }),
    "model 'x' not found: try `hearth pull x`",
  ],
  ['anything else as it is', new ClientError('refused', 'disk full', { status: 507 }), 'disk full'],
  ['without what a terminal would obey', new Error('a\u001b[2Jb'), 'a[2Jb'],
])('%s', (_, error, text) => {
  expect(explain(error)).toContain(text);
});

test('a path that is not there is no missing model', async () => {
  const error = new ClientError('refused', '404 page not found', { status: 404 });
  await expect(withModel('x', Promise.reject(error))).rejects.toBe(error);
});
