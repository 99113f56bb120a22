// The programs of llama.cpp that the server is compared with, if they are installed: in the folder of HEARTH_LLAMA_TOOLS or
// in PATH.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { LlamaServer } from './llama-server.ts';
import type { StreamTiming } from './server-load.ts';

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

interface BatchSizes {
  readonly streams: readonly number[];
  readonly prompt: number;
  readonly tokens: number;
  /** Whether all streams share one KV cache. */
  readonly unified?: boolean;
}

/** llama-batched-bench: decodes without sampling, the limit of the engine. Returns a speed for each number of streams. */
export async function runBatchedBench(
  tool: string,
  model: string,
  { streams, prompt, tokens, unified = false }: BatchSizes,
): Promise<ReadonlyMap<number, BatchSpeed>> {
  const most = Math.max(...streams);
  const sizes = ['-c', String(most * (prompt + tokens)), '-npp', String(prompt), '-ntg', String(tokens)];
  // The first row has the time of the first passes.
  const counts = [streams[0], ...streams].join(',');
  const args = ['-m', model, '-ngl', '99', ...sizes, '-npl', counts, ...(unified ? ['-kvu'] : [])];
  const { stdout, stderr } = await run(tool, args, { maxBuffer: maxOutput });
  const speeds = new Map<number, BatchSpeed>();
  for (const line of `${stdout}\n${stderr}`.split('\n')) {
    const cells = line.split('|').map(Number);
    if (cells[1] === prompt && cells[2] === tokens)
      speeds.set(cells[3] as number, { prompt: cells[6] as number, generation: cells[8] as number });
  }
  if (speeds.size === 0) throw new Error(`${tool} printed no table`);
  return speeds;
}

/** One answer of llama-server. */
export async function askLlamaServer(
  { url }: Pick<LlamaServer, 'url'>,
  prompt: string,
  tokens: number,
  seed: number,
): Promise<StreamTiming> {
  const body = { prompt, n_predict: tokens, seed, temperature: 0.8, top_k: 40, top_p: 0.9, min_p: 0, ignore_eos: true };
  const sent = performance.now();
  const response = await fetch(`${url}/completion`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
  });
  let firstText = 0;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    firstText ||= performance.now();
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  const count = Number([...text.matchAll(/"tokens_predicted":(\d+)/g)].at(-1)?.[1] ?? 0);
  return { sent, firstText, ended: performance.now(), tokens: count };
}
