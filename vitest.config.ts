import { configDefaults, defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';
import { LongestFirst } from './test/support/longest-first.ts';

// Tests must pass on a slow or busy machine. These limits are for tests that hang.
const setupFiles = ['test/support/note-running-test.ts', 'test/support/configure-properties.ts'];
const common = (milliseconds: number) => ({
  setupFiles,
  testTimeout: milliseconds,
  hookTimeout: milliseconds,
  expect: { poll: { timeout: milliseconds / 2 } },
});

// They measure what a client or a person notices while others use the machine, or need all of it.
const testsThatMeasure = ['test/abuse/abuse.test.ts', 'test/e2e/soak.test.ts', 'test/page/long-chat.test.ts'];

// They load llama.cpp or whisper.cpp, which a process can do only once, or look at their own process: processor time, open files, children.
const testsWithOwnProcess = [
  'src/formats/archive/read-zip.test.ts',
  'src/formats/chat/linear-time.test.ts',
  'src/models/package-client/package-client.test.ts',
  'src/models/store/verify.test.ts',
  'src/server/http/{connections,tls-connections}.test.ts',
  'src/server/services/create/server-files.test.ts',
  'src/features/packages/find-model-files.test.ts',
  'src/features/speech/audio-reader.test.ts',
  'src/inference/runner/process/worker.test.ts',
  'src/inference/runner/llama/{open-backend,vocabulary}.test.ts',
  'src/inference/runner/generate/sampling/{sampler,token-tree,ahead/checked-ahead}.test.ts',
  'src/inference/runner/scan/top-scan.test.ts',
  'test/abuse/inflation.test.ts',
  'test/engine/**/*.test.ts',
  'test/gate/regular-expressions.test.ts',
];

// npm run test:soak sets the number of requests. It takes hours, the longest timeout of other tests is ten minutes.
const isSoak = process.env['HEARTH_TEST_REQUESTS'] !== undefined;

// Both kinds of tests that run beside each other: each worker has a processor of its own.
const parallel = {
  ...common(300_000),
  setupFiles: [...setupFiles, 'test/support/use-one-processor.ts'],
  maxWorkers: '100%',
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    reporters: ['default', createHangReporter({ noticeAfter: 100, endAfter: isSoak ? 24 * 3600 : 660 })],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common(120_000),
          name: 'unit',
          include: ['{src,web}/**/*.test.ts'],
          exclude: [...testsThatMeasure, ...testsWithOwnProcess],
          pool: 'threads',
          maxWorkers: '100%',
          // Loading the modules again for each file would take as long as the tests.
          isolate: false,
        },
      },
      {
        test: {
          ...parallel,
          name: 'own-process',
          include: testsWithOwnProcess,
        },
      },
      {
        test: {
          ...parallel,
          name: 'parallel',
          include: ['test/**/*.test.ts'],
          // npm run test:real, test:scores, test:interop, test:agents, test:package, test:llama-server, test:vllm
          exclude: [
            ...configDefaults.exclude,
            ...testsThatMeasure,
            ...testsWithOwnProcess,
            'test/{real,scores,interop,agents,package,remote-engines}/**',
            ...(isSoak ? [] : ['test/e2e/long-soak.test.ts']),
          ],
          // What they test is in other processes. A worker and its modules for each file would take a second of processor time.
          isolate: false,
        },
      },
      {
        test: {
          ...common(300_000),
          name: 'serial',
          include: testsThatMeasure,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
