// npm run test:agents: coding agents that other people wrote, against a real server. Not part of `npm test`, because it
// installs a gigabyte and needs a network namespace.

import { defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

export default defineConfig({
  test: {
    reporters: ['verbose', createHangReporter({ noticeAfter: 100, endAfter: 660 })],
    setupFiles: ['test/support/note-running-test.ts'],
    include: ['test/agents/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
