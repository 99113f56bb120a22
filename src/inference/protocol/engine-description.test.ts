import { expect, test } from 'vitest';
import { parseEngineDescription } from './engine-description.ts';

const device = { name: 'CUDA0', description: 'GPU', isGpu: true, isUnified: false, freeBytes: 1, totalBytes: 2 };
const description = { engine: 'package@1', devices: [device] };

test('a description is read', () => {
  expect(parseEngineDescription(JSON.stringify(description))).toEqual(description);
  const more = { ...description, devices: [{ ...device, other: 1 }] };
  expect(parseEngineDescription(JSON.stringify(more))).toEqual(description);
});

test.each([
  '',
  '{',
  'null',
  '[]',
  JSON.stringify({ ...description, engine: 1 }),
  JSON.stringify({ ...description, devices: {} }),
  JSON.stringify({ ...description, devices: [null] }),
  JSON.stringify({ ...description, devices: [{ ...device, freeBytes: -1 }] }),
  JSON.stringify({ ...description, devices: [{ ...device, totalBytes: '2' }] }),
  JSON.stringify({ ...description, devices: [{ ...device, description: 'x'.repeat(2000) }] }),
  JSON.stringify({ ...description, devices: Array.from({ length: 1000 }, () => device) }),
])('anything else is not: %.60s', (text) => {
  expect(parseEngineDescription(text)).toBeUndefined();
});
