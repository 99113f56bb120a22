import { defineConfig } from 'vitest/config';

// A slow or busy machine is no failure: limits are for tests that hang.
const generous = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...generous,
          name: 'unit',
          include: ['src/**/*.test.ts'],
          pool: 'threads',
          setupFiles: ['test/support/configure-properties.ts'],
        },
      },
      {
        test: {
          ...generous,
          name: 'whole',
          include: ['test/**/*.test.ts'],
          // These run real models: two at once would only share the cores.
          fileParallelism: false,
          setupFiles: ['test/support/configure-properties.ts'],
        },
      },
    ],
  },
});
