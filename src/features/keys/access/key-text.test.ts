import { expect, test } from 'vitest';
import { formatKey, hashSecret, matchesHash, newKeyId, newSecret, parseKey } from './key-text.ts';

test('a key is parsed into its parts, and nothing else is a key', () => {
  const parts = { id: newKeyId(), secret: newSecret() };
  expect(parseKey(formatKey(parts))).toEqual(parts);
  const text = formatKey(parts);
  for (const other of ['', 'hearth', 'ollama', ` ${text}`, `${text}x`, text.slice(0, -1), text.toUpperCase()])
    expect(parseKey(other)).toBeUndefined();
});

test('only the right secret matches, and none matches a key that does not exist', () => {
  const secret = newSecret();
  expect(matchesHash(secret, hashSecret(secret))).toBe(true);
  expect(matchesHash(newSecret(), hashSecret(secret))).toBe(false);
  expect(matchesHash(secret, undefined)).toBe(false);
  expect(matchesHash('', undefined)).toBe(false);
});
