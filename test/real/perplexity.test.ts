// The figures of `POST /api/compare` and the log probabilities of prompts are those of llama-perplexity with the same files. It is
// looked for in the folder of HEARTH_LLAMA_TOOLS and in PATH.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ComparisonResponseBody } from '../../src/server/dialects/hearth/generation/compare-schema.ts';
import { comparisonText } from '../../src/server/services/generation/comparison-text.ts';
import { post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { writeEmberF16 } from '../support/models/ember-f16.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folders = [process.env['HEARTH_LLAMA_TOOLS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
const program = folders.map((folder) => join(folder, 'llama-perplexity')).find(existsSync);
if (program === undefined)
  console.warn('llama-perplexity is neither in HEARTH_LLAMA_TOOLS nor in PATH: its figures are not compared');

describe.skipIf(program === undefined)('llama-perplexity', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-perplexity-'));
  const files = { f16: join(folder, 'f16.gguf'), text: join(folder, 'text.txt'), base: join(folder, 'base.kld') };
  const quantized = repository('models/ember-q4_k_m.gguf');
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    writeEmberF16(files.f16);
    writeFileSync(files.text, `${comparisonText}\n`);
    const input = `FROM ${files.f16}\n`;
    expect(await hearth(['create', 'ember-f16', '-f', '-'], { url: server.url, input })).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  function measure(model: string, ...words: readonly string[]): string {
    const args = ['-m', model, '-c', '512', '--kl-divergence-base', files.base, ...words];
    const { stdout, stderr, status } = spawnSync(program ?? '', args, { encoding: 'utf8', timeout: 280_000 });
    if (status !== 0) throw new Error(stderr.slice(-2000));
    return stdout + stderr;
  }

  function find(output: string, pattern: RegExp): number {
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new Error(`no ${pattern} in ${output.slice(-2000)}`);
    return Number(found);
  }

  test('perplexities, divergence and equal top tokens', async () => {
    const base = measure(files.f16, '-f', files.text);
    const output = measure(quantized, '--kl-divergence');
    const request = { model: 'ember', against: 'ember-f16', stream: false };
    const { status, text, objects } = await post<ComparisonResponseBody>(server.url, '/api/compare', request);
    expect(status, text).toBe(200);
    const ours = objects[0] as ComparisonResponseBody;
    const theirs = {
      against: find(base, /Final estimate: PPL = ([\d.]+)/),
      model: find(output, /Mean PPL\(Q\)\s+:\s+([\d.]+)/),
      divergence: find(output, /Mean\s+KLD:\s+([\d.]+)/),
      sameTop: find(output, /Same top p:\s+([\d.]+)/),
    };
    console.info(JSON.stringify({ ours, theirs }));
    // The mean log probability of a token is the logarithm of the perplexity.
    expect(Math.abs(Math.log(ours.against_perplexity / theirs.against))).toBeLessThan(1e-4);
    expect(Math.abs(Math.log(ours.perplexity / theirs.model))).toBeLessThan(1e-4);
    expect(Math.abs(ours.kl_divergence - theirs.divergence)).toBeLessThan(1e-4);
    // One of 2040 tokens whose two likeliest successors are nearly equal.
    expect(Math.abs(ours.same_top * 100 - theirs.sameTop)).toBeLessThan(0.1);
  });
});
