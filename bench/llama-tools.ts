// The programs of llama.cpp that the server is compared with, if they are installed: in the folder of HEARTH_LLAMA_TOOLS or
// in PATH.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { LlamaServer } from './llama-server.ts';

const run = promisify(execFile);
const maxOutput = 2 ** 24;

export function findTool(name: string): string | undefined {
  const folders = [process.env['HEARTH_LLAMA_TOOLS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(existsSync);
}

export interface BatchSpeed {
  /** Tokens per second. */
  readonly prompt: number;
  readonly generation: number;
}

/** llama-batched-bench: decodes without sampling, the limit of the engine. */
export async function runBatchedBench(
  tool: string,
  model: string,
  { streams, prompt, tokens }: { readonly streams: number; readonly prompt: number; readonly tokens: number },
): Promise<BatchSpeed> {
  const sizes = ['-c', String(streams * (prompt + tokens)), '-npp', String(prompt), '-ntg', String(tokens)];
  const args = ['-m', model, '-ngl', '99', ...sizes, '-npl', `${streams},${streams}`];
  const { stdout, stderr } = await run(tool, args, { maxBuffer: maxOutput });
  const rows = `${stdout}\n${stderr}`.split('\n').flatMap((line) => {
    const cells = line.split('|').map(Number);
    return cells[1] === prompt && cells[3] === streams ? [cells] : [];
  });
  // The first row has the time of the first passes.
  const row = rows.at(-1);
  if (row === undefined) throw new Error(`${tool} printed no table`);
  return { prompt: row[6] as number, generation: row[8] as number };
}

/** The tokens of an answer of llama-server. */
export async function askLlamaServer(
  { url }: Pick<LlamaServer, 'url'>,
  prompt: string,
  tokens: number,
  seed: number,
): Promise<number> {
  const body = { prompt, n_predict: tokens, seed, temperature: 0.8, top_k: 40, top_p: 0.9, min_p: 0, ignore_eos: true };
  const response = await fetch(`${url}/completion`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
  });
  const text = await response.text();
  return Number([...text.matchAll(/"tokens_predicted":(\d+)/g)].at(-1)?.[1] ?? 0);
}
