import { afterEach, expect, test, vi } from 'vitest';
import { isKeyMissing, noteAcceptedKey, request } from './request.ts';

const refusal = () => Response.json({ error: 'a key is needed', code: 'key_missing' }, { status: 401 });

afterEach(() => {
  vi.unstubAllGlobals();
  noteAcceptedKey();
});

test('a refusal asks for a key', async () => {
  vi.stubGlobal('fetch', async () => refusal());
  await expect(request('/api/tags')).rejects.toThrow('a key is needed');
  expect(isKeyMissing.value).toBe(true);
});

test('the refusal of a request that was sent before a key was accepted does not ask for the key again', async () => {
  let refuse = (_: Response): void => {};
  const answer = new Promise<Response>((resolve) => {
    refuse = resolve;
  });
  vi.stubGlobal('fetch', () => answer);
  const late = request('/api/tags');
  noteAcceptedKey();
  refuse(refusal());
  await expect(late).rejects.toThrow('a key is needed');
  expect(isKeyMissing.value).toBe(false);
});
