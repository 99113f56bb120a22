// The figures of `POST /api/compare` are those of llama-perplexity with the same files, to four digits.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { physicalCores } from '../../src/inference/protocol/decide-threads.ts';
import type { ComparisonResponseBody } from '../../src/server/dialects/hearth/generation/compare-schema.ts';
import { comparisonText } from '../../src/server/services/generation/comparison-text.ts';
import { runProgram } from '../interop/run-program.ts';
import { post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { quantizeDirectly, writeEmberF16 } from '../support/models/ember-f16.ts';
import { startServer, type TestServer } from '../support/server.ts';

const program = process.env['HEARTH_LLAMA_PERPLEXITY'] ?? '';
/** Numbers of llama.cpp. */
const fileTypes = { q8_0: 7, q4_k_m: 15, q2_k: 10 } as const;
const folder = mkdtempSync(join(tmpdir(), 'hearth-perplexity-'));
const pathOf = (name: string): string => join(folder, name);
let server: TestServer;
let basePerplexity: number;

async function create(name: string): Promise<void> {
  const input = `FROM ${pathOf(`${name}.gguf`)}\n`;
  expect(await hearth(['create', `ember-${name}`, '-f', '-'], { url: server.url, input })).toMatchObject({ code: 0 });
}

async function measure(name: string, ...words: readonly string[]): Promise<string> {
  const model = ['-m', pathOf(`${name}.gguf`), '-c', '512', '-t', String(physicalCores())];
  const args = [...model, '--kl-divergence-base', pathOf('base.kld'), ...words];
  const { stdout, stderr, code } = await runProgram(program, args);
  if (code !== 0) throw new Error(stderr.slice(-2000));
  return stdout + stderr;
}

function find(output: string, pattern: RegExp): number {
  const found = pattern.exec(output)?.[1];
  if (found === undefined) throw new Error(`no ${pattern} in ${output.slice(-2000)}`);
  return Number(found);
}

beforeAll(async () => {
  server = await startServer();
  writeEmberF16(pathOf('f16.gguf'));
  await create('f16');
  writeFileSync(pathOf('text.txt'), `${comparisonText}\n`);
  // The exact one: while it compares, it knows no probabilities below e⁻¹⁶ of the largest.
  basePerplexity = find(await measure('f16', '-f', pathOf('text.txt')), /Final estimate: PPL = ([\d.]+)/);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const digits = 1e-4;
/** Half of the last digit that it prints. */
const printed = 5e-7;

test.each(['q8_0', 'q4_k_m', 'q2_k'] as const)('%s', async (name) => {
  quantizeDirectly(pathOf('f16.gguf'), pathOf(`${name}.gguf`), fileTypes[name]);
  await create(name);
  const output = await measure(name, '--kl-divergence');
  const theirs = {
    against: basePerplexity,
    model: find(output, /Mean PPL\(Q\)\s+:\s+([\d.]+)/),
    divergence: find(output, /Mean\s+KLD:\s+([\d.]+)/),
    sameTop: find(output, /Same top p:\s+([\d.]+)/),
  };
  const request = { model: `ember-${name}`, against: 'ember-f16', stream: false };
  const { status, text, objects } = await post<ComparisonResponseBody>(server.url, '/api/compare', request);
  expect(status, text).toBe(200);
  const ours = objects[0] as ComparisonResponseBody;
  console.info(name, JSON.stringify({ ours, theirs }));
  // The mean log likelihood of a token is the logarithm of the perplexity.
  expect(Math.abs(Math.log(ours.against_perplexity / theirs.against))).toBeLessThan(digits);
  expect(Math.abs(Math.log(ours.perplexity / theirs.model))).toBeLessThan(digits);
  expect(Math.abs(ours.kl_divergence - theirs.divergence)).toBeLessThan(digits * theirs.divergence + printed);
  // One of 2040 tokens whose two likeliest successors are nearly equal.
  expect(Math.abs(ours.same_top * 100 - theirs.sameTop)).toBeLessThan(0.1);
});
