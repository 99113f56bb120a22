import { expect, test } from 'vitest';
import { createDeferred } from '../../../base/deferred.ts';
import { UploadLimit } from './upload-limit.ts';

test('a client has its own limit, all clients have one together, and an upload that ends makes room', async () => {
  const limit = new UploadLimit({ what: 'files', client: 2, all: 3 });
  const running = createDeferred<void>();
  const hold = (client: string): Promise<void> => limit.use(client, () => running.promise);
  const refused = { code: 'busy', message: 'too many files are sent at the same time; try again later' };
  const held = [hold('a'), hold('a')];
  await expect(hold('a')).rejects.toMatchObject(refused);
  held.push(hold('b'));
  await expect(hold('c')).rejects.toMatchObject(refused);
  running.resolve();
  await Promise.all(held);
  expect(await limit.use('a', async () => 'used')).toBe('used');
});

test('an upload that fails makes room', async () => {
  const limit = new UploadLimit({ what: 'files', client: 1, all: 1 });
  const fail = () => limit.use('a', () => Promise.reject(new Error('damaged')));
  await expect(fail()).rejects.toThrow('damaged');
  await expect(fail()).rejects.toThrow('damaged');
});
