import { expect, test } from 'vitest';
import { describeImport } from './import-chats.ts';

test('what an import did is one sentence', () => {
  expect(describeImport({ imported: 3, existing: 0, failed: 0 })).toBe('3 imported.');
  expect(describeImport({ imported: 0, existing: 2, failed: 1 })).toBe(
    '0 imported, 2 existed already, 1 could not be read.',
  );
});
