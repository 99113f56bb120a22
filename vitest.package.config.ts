// npm run test:package: builds an archive and runs it in an empty root folder. Not part of `npm test`, because it takes
// a minute and needs namespaces of Linux.

import { defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

export default defineConfig({
  test: {
    reporters: ['verbose', createHangReporter({ noticeAfter: 100, endAfter: 660 })],
    setupFiles: ['test/support/note-running-test.ts'],
    include: ['test/package/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
