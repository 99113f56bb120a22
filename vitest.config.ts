import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads' } },
      {
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          // These run real models: two at once would only share the cores.
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
