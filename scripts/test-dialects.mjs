// npm run test:dialects: tiny models of every row of Ollama's GGUF dialect, loaded by the engine, beside the same weights in
// llama.cpp's dialect. Prints a table.

import { run, setUpTests } from './setup.mjs';

setUpTests();
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/engine/dialect.test.ts'], {
  environment: { HEARTH_TEST_DIALECTS: '1' },
});
