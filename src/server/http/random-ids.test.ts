import { expect, test } from 'vitest';
import { createRandomIds } from './requests.ts';

test('ids have 64 bits and differ, also across blocks and sources', () => {
  const sources = [createRandomIds(), createRandomIds()];
  const ids = sources.flatMap((newId) => Array.from({ length: 2000 }, newId));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(ids).size).toBe(4000);
});
