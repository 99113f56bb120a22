// Ollama's Go package: the tests are in go/client_test.go, and each method of the client has one.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { image } from '../clients/questions.ts';
import { repository } from '../support/repository.ts';
import { weatherTool } from '../support/weather-tool.ts';
import { runProgram } from './run-program.ts';
import { type Services, startServices } from './start-services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

test('every method works', async () => {
  const { code, stdout, stderr } = await runProgram('go', ['test', '-count=1', '-v', './...'], {
    cwd: repository('test/interop/go'),
    environment: {
      OLLAMA_HOST: services.server.url,
      REGISTRY: services.registry.host,
      MODELS: repository('models'),
      IMAGE: image.toString('base64'),
      TOOL: JSON.stringify(weatherTool),
    },
  });
  console.info(stdout);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).not.toContain('--- SKIP');
});
