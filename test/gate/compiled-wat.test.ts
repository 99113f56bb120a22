// The checked-in WebAssembly is what its text gives.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('simd-program.ts is compiled from simd-program.wat', () => {
  const check = () =>
    execFileSync(process.execPath, [repository('scripts/compile-wat.mjs'), '--check'], { stdio: 'pipe' });
  expect(check).not.toThrow();
});
