import { expect, test } from 'vitest';
import { sha256 } from './sha256.ts';

test.each(['', 'abc', 'ä€😀', 'x'.repeat(55), 'x'.repeat(56), 'x'.repeat(64), 'alert(1);'.repeat(20_000)])(
  'the digest is that of the platform: %#',
  async (text) => {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    expect(sha256(text)).toBe(btoa(String.fromCharCode(...new Uint8Array(digest))));
  },
);
