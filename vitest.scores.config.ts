// npm run test:scores: scores of models, compared with those of other programs. Not part of `npm test`, because it downloads
// models and programs.

import { defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

export default defineConfig({
  test: {
    reporters: ['verbose', createHangReporter({ noticeAfter: 100, endAfter: 3600 })],
    setupFiles: ['test/support/note-running-test.ts', 'test/support/use-one-processor.ts'],
    include: ['test/scores/**/*.test.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
