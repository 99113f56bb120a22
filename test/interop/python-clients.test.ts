// Python packages that people use with Ollama, OpenAI and Anthropic: python/test_*.py, one file for each package. The
// programs of the documentation and of the web page are run as they are.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonSnippets } from '../../web/connect/sdk-snippets.ts';
import { image } from '../clients/questions.ts';
import { readBlocks, withAddress } from '../docs/read-blocks.ts';
import { repository } from '../support/repository.ts';
import { weatherTool } from '../support/weather-tool.ts';
import { pythonProgram, runProgram } from './run-program.ts';
import { type Services, startServices } from './start-services.ts';

// Packages that want other versions of what the others depend on have an environment of their own.
const packages = [
  { name: 'ollama', environment: 'clients' },
  { name: 'openai', environment: 'clients' },
  { name: 'anthropic', environment: 'clients' },
  { name: 'langchain_ollama', environment: 'clients' },
  { name: 'llm_ollama', environment: 'clients' },
  { name: 'litellm', environment: 'litellm' },
  { name: 'pydantic_ai', environment: 'pydantic_ai' },
  { name: 'instructor', environment: 'instructor' },
  { name: 'smolagents', environment: 'instructor' },
  { name: 'lm_eval', environment: 'lm_eval' },
] as const;

let services: Services;
let home: string;
beforeAll(async () => {
  services = await startServices();
  home = mkdtempSync(join(tmpdir(), 'hearth-interop-'));
});
afterAll(async () => {
  await services.stop();
  rmSync(home, { recursive: true, force: true });
});

// Those that scripts/test-interop.mjs could install.
const installed = (process.env['HEARTH_INTEROP_PYTHON'] ?? '').split(' ');

test.each(packages.filter(({ environment }) => installed.includes(environment)))(
  '$name',
  async ({ name, environment }) => {
    const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short', `test_${name}.py`];
    const { code, stdout, stderr } = await runProgram(pythonProgram(environment, 'python'), words, {
      cwd: repository('test/interop/python'),
      environment: {
        HOME: home,
        HEARTH_URL: services.server.url,
        REGISTRY: services.registry.host,
        MODELS: repository('models'),
        IMAGE: image.toString('base64'),
        TOOL: JSON.stringify(weatherTool),
        PYTHONDONTWRITEBYTECODE: '1',
        // litellm asks a website for prices otherwise.
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      },
    });
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).not.toMatch(/skipped|deselected/);
  },
);

const environmentOf = (heading: string) => (heading === 'litellm' ? 'litellm' : 'clients');
const documented = readBlocks('docs/clients.md').filter(({ language }) => language === 'python');
const programs = documented.filter(({ heading }) => installed.includes(environmentOf(heading)));

test('the documentation has a program for most packages', () => {
  expect(documented.length).toBeGreaterThan(4);
});

test.each(programs)('docs/clients.md, $heading', async ({ heading, text }) => {
  const program = pythonProgram(environmentOf(heading), 'python');
  const { code, stdout, stderr } = await runProgram(program, ['-c', withAddress(text, services.server.url)], {
    cwd: home,
    environment: { HOME: home, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  });
  expect(code, stderr).toBe(0);
  expect(stdout.trim()).not.toBe('');
});

test.each([false, true])('what the web page tells users to copy, with a key: %s', async (needsKey) => {
  const target = { url: services.server.url, model: 'ember', hasTools: true, hasVision: false, needsKey };
  for (const { title, code } of pythonSnippets) {
    const {
      code: status,
      stdout,
      stderr,
    } = await runProgram(
      pythonProgram('clients', 'python'),
      ['-c', code(target)],
      // A server without keys accepts any.
      { cwd: home, environment: { HOME: home, HEARTH_API_KEY: 'any' } },
    );
    expect([title, status, stderr]).toEqual([title, 0, '']);
    expect(stdout.trim()).not.toBe('');
  }
});
