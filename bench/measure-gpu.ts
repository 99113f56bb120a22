// Measures a GPU: streams over HTTP with the default options, next to the limit of the engine (llama-batched-bench, which
// does not sample) and to llama-server. The model has random weights and the shape of an 8B model; BENCH_GPU_MODEL is
// the path of another one. Without a GPU there is nothing to measure.

import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { startLlamaServer } from './llama-server.ts';
import { askLlamaServer, type BatchSpeed, findTool, runBatchedBench } from './llama-tools.ts';
import { largeRandomModel } from './random-model.ts';
import { median, report, rounds, settle } from './report.ts';
import { freshText, throughput, timeStream, warmUp } from './server-load.ts';

const model = 'gpu';
const contextLength = 1024;
const promptTokens = 16;
const tokens = Number(process.env['BENCH_GPU_TOKENS'] ?? 256);
const goals = new Map([
  [1, 0.95],
  [8, 0.9],
  [32, 0.85],
]);
const most = Math.max(...goals.keys());

export async function measureGpu(): Promise<void> {
  const server = await startServer({ environment: passedOn('HEARTH_BACKENDS', 'LD_LIBRARY_PATH') });
  try {
    const gpu = await findGpu(server);
    if (gpu === undefined) {
      console.log('      no GPU that a backend serves: nothing to measure (see docs/gpu.md)');
      return;
    }
    const path = process.env['BENCH_GPU_MODEL'] ?? largeRandomModel(repository('build/models'));
    await addModel(server, { name: model, path, template: '{{ .Prompt }}' });
    const limits = await measureLimits(path);
    const others = await measureLlamaServer(path);
    await warmUp({ ...streamFor(server, freshText(promptTokens)), tokens: 1, seed: 0 });
    for (const [streams, goal] of goals) {
      const speed = await measureStreams(streams, (prompt, seed) => ask(server, prompt, seed));
      const limit = limits.get(streams);
      const beside = others.has(streams) ? `, llama-server ${others.get(streams)?.toFixed(0)}` : '';
      report({
        what: `${gpu}, ${streams} ${streams === 1 ? 'stream' : 'streams'}`,
        value: `${speed.toFixed(0)} tokens/s${limit === undefined ? '' : compareWith(limit, speed)}${beside}`,
        ...(limit === undefined ? {} : { goal: `≥ ${goal}`, met: speed / limit.generation >= goal }),
      });
    }
    await measurePrompt(server, path, gpu);
  } finally {
    await server.stop();
  }
}

function passedOn(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** The name of the first GPU that a backend serves. */
async function findGpu({ url }: TestServer): Promise<string | undefined> {
  const { devices } = (await (await fetch(`${url}/api/devices`)).json()) as {
    readonly devices: readonly { readonly kind: string; readonly name: string; readonly backend?: string }[];
  };
  return devices.find(({ kind, backend }) => kind === 'gpu' && backend !== undefined)?.name;
}

function streamFor({ url }: TestServer, prompt: string) {
  return { url, model, prompt, options: { num_ctx: contextLength } };
}

async function ask(server: TestServer, prompt: string, seed: number): Promise<number> {
  return (await timeStream({ ...streamFor(server, prompt), tokens, seed })).tokens;
}

/** Tokens per second of all streams, with the evaluation of their prompts. The median of the rounds. */
async function measureStreams(
  streams: number,
  generate: (prompt: string, seed: number) => Promise<number>,
): Promise<number> {
  const run = async (): Promise<number> => {
    await settle();
    const sent = performance.now();
    // A token per byte.
    const prompts = Array.from({ length: streams }, () => freshText(promptTokens).slice(0, promptTokens));
    const counts = await Promise.all(prompts.map(generate));
    const ended = performance.now();
    return throughput([{ sent, firstText: sent, ended, tokens: counts.reduce((sum, count) => sum + count, 0) }]);
  };
  await run();
  const speeds: number[] = [];
  for (let round = 0; round < rounds; round++) speeds.push(await run());
  return median(speeds);
}

// The goals are for the generation alone, as it is measured by llama-batched-bench. The speed of the server has the time of the
// prompts, so it is also compared with the sum of both.
function compareWith({ generation, prompt }: BatchSpeed, speed: number): string {
  const both = 1 / (1 / generation + promptTokens / tokens / prompt);
  return `, ${(speed / generation).toFixed(3)} of llama-batched-bench (${generation.toFixed(0)}), ${(speed / both).toFixed(3)} with its prompts (${both.toFixed(0)})`;
}

async function measureLimits(path: string): Promise<ReadonlyMap<number, BatchSpeed>> {
  const tool = findTool('llama-batched-bench');
  const limits = new Map<number, BatchSpeed>();
  if (tool === undefined) return limits;
  for (const streams of goals.keys())
    limits.set(streams, await runBatchedBench(tool, path, { streams, prompt: promptTokens, tokens }));
  return limits;
}

async function measureLlamaServer(path: string): Promise<ReadonlyMap<number, number>> {
  const tool = findTool('llama-server');
  const speeds = new Map<number, number>();
  if (tool === undefined) return speeds;
  const server = await startLlamaServer({
    program: tool,
    model: path,
    contextLength,
    parallel: most,
    extra: ['-ngl', '99'],
  });
  try {
    for (const streams of goals.keys())
      speeds.set(
        streams,
        await measureStreams(streams, (prompt, seed) => askLlamaServer(server, prompt, tokens, seed)),
      );
  } finally {
    await server.stop();
  }
  return speeds;
}

const longPrompt = 512;

async function measurePrompt(server: TestServer, path: string, gpu: string): Promise<void> {
  const speeds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const prompt = freshText(longPrompt).slice(0, longPrompt);
    const response = await fetch(`${server.url}/api/generate`, {
      method: 'POST',
      body: JSON.stringify({
        model,
        prompt,
        raw: true,
        stream: false,
        options: { num_predict: 1, num_ctx: contextLength },
      }),
    });
    const end = (await response.json()) as { prompt_eval_count: number; prompt_eval_duration: number };
    // The first one has the time of the first passes.
    if (round > 0) speeds.push((end.prompt_eval_count / end.prompt_eval_duration) * 1e9);
  }
  const tool = findTool('llama-batched-bench');
  const sizes = { streams: 1, prompt: longPrompt, tokens: 1 };
  const limit = tool === undefined ? undefined : (await runBatchedBench(tool, path, sizes)).prompt;
  report({
    what: `${gpu}, a prompt of ${longPrompt} tokens`,
    value: `${median(speeds).toFixed(0)} tokens/s${limit === undefined ? '' : `, llama-batched-bench ${limit.toFixed(0)}`}`,
  });
}
