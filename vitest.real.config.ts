// npm run test:real: models that other people made, from a package index. Not part of `npm test`, because it needs the
// index and downloads a hundred megabytes.

import { defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

export default defineConfig({
  test: {
    reporters: ['verbose', createHangReporter({ noticeAfter: 100, endAfter: 660 })],
    setupFiles: ['test/support/note-running-test.ts'],
    include: ['test/real/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
