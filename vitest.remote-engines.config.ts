// npm run test:llama-server, npm run test:vllm: engines of other people as remotes. Not part of `npm test`, because they
// must be built or installed first.

import { defineConfig } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

export default defineConfig({
  test: {
    reporters: ['verbose', createHangReporter({ noticeAfter: 300, endAfter: 660 })],
    setupFiles: ['test/support/note-running-test.ts'],
    include: ['test/remote-engines/*.test.ts'],
    // The engines need both processors.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
