import { configDefaults, defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

// Tests must pass on a slow or busy machine. These limits are for tests that hang.
const common = (milliseconds: number) => ({
  setupFiles: ['test/support/note-running-test.ts', 'test/support/configure-properties.ts'],
  testTimeout: milliseconds,
  hookTimeout: milliseconds,
  expect: { poll: { timeout: milliseconds / 2 } },
});

// They run a real server, but models only for a moment, so they can share the cores.
const testsWithoutModels = [
  // Without the regular expressions, whose times are measured.
  'test/gate/{arrows,hangs,links,options,static}.test.ts',
  'test/goldens/**/*.test.ts',
  'test/contract/{pull,push,show}.test.ts',
  'test/e2e/{packages,registry}/**/*.test.ts',
  'test/e2e/command-line/launch.test.ts',
  'test/e2e/{convert,create,fresh-clone,old-node,server-crash,store-crash,verify}.test.ts',
];

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
          // Some count the open files of the process or measure times.
          maxWorkers: 1,
        },
      },
      {
        test: {
          ...common(300_000),
          name: 'parallel',
          include: testsWithoutModels,
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          // The threads of a model wait for each other, so a token takes many times longer on busy cores.
          ...common(300_000),
          name: 'whole',
          include: ['test/**/*.test.ts'],
          // npm run test:real, npm run test:interop, npm run test:agents
          exclude: [...configDefaults.exclude, ...testsWithoutModels, 'test/{real,interop,agents}/**'],
          // These run real models: two at once would only share the cores.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
