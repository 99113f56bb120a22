// Comparisons with other programs that need a setup of their own: `npm run test:reference`.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/reference/*.reference.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
});
