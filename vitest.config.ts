import { configDefaults, defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

// Tests must pass on a slow or busy machine. These limits are for tests that hang.
const common = (milliseconds: number) => ({
  setupFiles: ['test/support/note-running-test.ts', 'test/support/configure-properties.ts'],
  testTimeout: milliseconds,
  hookTimeout: milliseconds,
  expect: { poll: { timeout: milliseconds / 2 } },
});

export default defineConfig({
  test: {
    // The longest timeout of a test is ten minutes.
    reporters: ['default', createHangReporter({ noticeAfter: 100, endAfter: 660 })],
    projects: [
      {
        test: {
          ...common(120_000),
          name: 'unit',
          include: ['src/**/*.test.ts'],
          pool: 'threads',
        },
      },
      {
        test: {
          // The threads of a model wait for each other, so a token takes many times longer on busy cores.
          ...common(300_000),
          name: 'whole',
          include: ['test/**/*.test.ts'],
          // npm run test:real, npm run test:interop
          exclude: [...configDefaults.exclude, 'test/real/**', 'test/interop/**'],
          // These run real models: two at once would only share the cores.
          fileParallelism: false,
        },
      },
    ],
  },
});
