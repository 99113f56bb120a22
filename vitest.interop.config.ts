// npm run test:interop: programs that other people wrote, against a real server. Not part of `npm test`, because it
// builds Ollama and downloads a hundred megabytes.

import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { createHangReporter } from './test/support/hang-reporter.ts';

const clientsToday = fileURLToPath(new URL('test/interop/clients-today/', import.meta.url));
const clientFiles = /\/test\/(?:clients|interop)\/[^/]+\.ts$/;
const packagePath = /^@?[a-z]/;

/** With HEARTH_CLIENTS_TODAY, the files of test/clients get the packages of another folder, if it has them. */
const packagesOfToday: Plugin = {
  name: 'packages-of-today',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (process.env['HEARTH_CLIENTS_TODAY'] === undefined) return;
    if (importer === undefined || !clientFiles.test(importer) || !packagePath.test(source)) return;
    const found = await this.resolve(source, `${clientsToday}package.json`, { skipSelf: true });
    return found?.id.startsWith(clientsToday) ? found : undefined;
  },
};

export default defineConfig({
  plugins: [packagesOfToday],
  test: {
    reporters: ['verbose', createHangReporter({ noticeAfter: 100, endAfter: 660 })],
    setupFiles: ['test/support/note-running-test.ts'],
    include: ['test/interop/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
