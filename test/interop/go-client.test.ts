// Ollama's Go package: the tests are in go/client_test.go, and each method of the client has one. The program of the
// documentation is run as it is.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { image } from '../clients/questions.ts';
import { readBlocks } from '../docs/read-blocks.ts';
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

describe('docs/clients.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-go-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const programs = readBlocks('docs/clients.md').filter(({ language }) => language === 'go');

  test('has a program', () => expect(programs).toHaveLength(1));

  test.each(programs)('$heading', async ({ text }) => {
    const file = join(folder, 'main.go');
    writeFileSync(file, text);
    // The module has the package that the program imports.
    const { code, stdout, stderr } = await runProgram('go', ['run', file], {
      cwd: repository('test/interop/go'),
      environment: { OLLAMA_HOST: services.server.url },
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim()).not.toBe('');
  });
});
