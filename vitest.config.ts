import { defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

// A slow or busy machine is no failure: limits are for tests that hang.
const common = {
  setupFiles: ['test/support/note-running-test.ts', 'test/support/configure-properties.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  test: {
    // The longest timeout of a test is ten minutes.
    reporters: ['default', createHangReporter({ noticeAfter: 100, endAfter: 660 })],
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['src/**/*.test.ts'],
          pool: 'threads',
        },
      },
      {
        test: {
          ...common,
          name: 'whole',
          include: ['test/**/*.test.ts'],
          // These run real models: two at once would only share the cores.
          fileParallelism: false,
        },
      },
    ],
  },
});
