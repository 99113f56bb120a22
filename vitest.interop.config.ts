// npm run test:interop: programs that other people wrote, against a real server. Not part of `npm test`, because it
// builds Ollama and downloads a hundred megabytes.

import { defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

export default defineConfig({
  test: {
    reporters: ['verbose', createHangReporter({ noticeAfter: 100, endAfter: 660 })],
    setupFiles: ['test/support/note-running-test.ts'],
    include: ['test/interop/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
