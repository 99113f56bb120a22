// Measures a GPU: streams over HTTP with the default options, next to the limit of the engine (llama-batched-bench, which
// does not sample) and to llama-server; then long prompts, constrained answers and images. The model has random weights and the shape of
// an 8B model; BENCH_GPU_MODEL is the path of another one. Without a GPU there is nothing to measure.

import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { gpuEnvironment } from './gpu-environment.ts';
import { startLlamaServer } from './llama-server.ts';
import { askLlamaServer, type BatchSpeed, findTool, runBatchedBench } from './llama-tools.ts';
import { measureConstrained } from './measure-gpu-grammar.ts';
import { measureLongPrompt, measureNextTurn, measureSharedBeginning, textOf } from './measure-gpu-prefixes.ts';
import { measureImages } from './measure-images.ts';
import { processorTimeOf } from './processor-time.ts';
import { largeRandomModel } from './random-model.ts';
import { median, report, rounds, settle } from './report.ts';
import { freshText, type StreamTiming, throughput, timeStream, warmUp } from './server-load.ts';

const model = 'gpu';
const contextLength = 1024;
const promptTokens = 16;
const tokens = Number(process.env['BENCH_GPU_TOKENS'] ?? 256);
const goals = new Map([
  [1, 0.95],
  [8, 0.92],
  [32, 0.88],
  [64, 0.85],
  [128, 0.8],
  [256, 0.75],
]);
// llama-server takes longer for more.
const comparedStreams = [1, 8, 32, 64];
const unifiedStreams = [8, 32, 256];
const longPromptStreams = 32;

export async function measureGpu(): Promise<void> {
  const server = await startServer({ environment: gpuEnvironment });
  try {
    const gpu = await findGpu(server);
    if (gpu === undefined) {
      console.log('      no GPU that a backend serves: nothing to measure (see docs/gpu.md)');
      return;
    }
    const path = process.env['BENCH_GPU_MODEL'] ?? largeRandomModel(repository('build/models'));
    await addModel(server, { name: model, path, template: '{{ .Prompt }}' });
    const limits = await measureLimits(path);
    await measureServer(server, gpu, limits);
    await measurePrompt(server, path, gpu);
    const subject = { server, model, gpu };
    await measureConstrained({ ...subject, contextLength });
    await measureLongPrompt(subject, longPromptStreams);
    await measureSharedBeginning(subject);
    await measureNextTurn(subject);
    await measureImages(server, gpu);
  } finally {
    await server.stop();
  }
  const path = process.env['BENCH_GPU_MODEL'] ?? largeRandomModel(repository('build/models'));
  await measureUnified(path);
  await measureLlamaServer(path);
}

async function measureServer(server: TestServer, gpu: string, limits: ReadonlyMap<number, BatchSpeed>): Promise<void> {
  await warmUp({ ...streamFor(server, freshText(promptTokens)), tokens: 1, seed: 0 });
  for (const [streams, goal] of goals) {
    const before = processorTimeOf(server.pid);
    const begun = performance.now();
    const { speed, first, count } = await measureStreams(streams, (prompt, seed) => ask(server, prompt, seed));
    const used = processorTimeOf(server.pid) - before;
    const cores = used / (performance.now() - begun);
    const limit = limits.get(streams);
    const what = `${gpu}, ${streams} ${streams === 1 ? 'stream' : 'streams'}`;
    report({
      what,
      value: `${speed.toFixed(0)} tokens/s${limit === undefined ? '' : compareWith(limit, speed)}, server ${((1000 * used) / count).toFixed(0)} µs per token, ${cores.toFixed(2)} cores`,
      ...(limit === undefined ? {} : { goal: `≥ ${goal}`, met: speed / limit.generation >= goal }),
    });
    if (limit === undefined) continue;
    const pass = ((streams * promptTokens) / limit.prompt) * 1000;
    report({
      what: `${what}, first token`,
      value: `${first.toFixed(0)} ms, the prompt pass of llama-batched-bench takes ${pass.toFixed(0)} ms`,
      goal: '≤ 2',
      met: first <= 2 * pass,
    });
  }
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

function ask(server: TestServer, prompt: string, seed: number): Promise<StreamTiming> {
  return timeStream({ ...streamFor(server, prompt), tokens, seed });
}

interface StreamSpeed {
  /** Tokens per second of all streams, with the evaluation of their prompts. The median of the rounds. */
  readonly speed: number;
  /** Milliseconds to the first token, median of the streams. The median of the rounds. */
  readonly first: number;
  /** Tokens of all rounds. */
  readonly count: number;
}

async function measureStreams(
  streams: number,
  generate: (prompt: string, seed: number) => Promise<StreamTiming>,
  runs = rounds,
): Promise<StreamSpeed> {
  const all: StreamTiming[][] = [];
  for (let round = 0; round <= runs; round++) {
    await settle();
    all.push(await Promise.all(Array.from({ length: streams }, (_, seed) => generate(textOf(promptTokens), seed))));
  }
  // The first one has the time of the first passes.
  const measured = all.slice(1);
  return {
    speed: median(measured.map(throughput)),
    first: median(measured.map((timings) => median(timings.map(({ sent, firstText }) => firstText - sent)))),
    count: all.flat().reduce((sum, timing) => sum + timing.tokens, 0),
  };
}

// The goals are for the generation alone, as it is measured by llama-batched-bench. The speed of the server has the time of the
// prompts, so it is also compared with the sum of both.
function compareWith({ generation, prompt }: BatchSpeed, speed: number): string {
  const both = 1 / (1 / generation + promptTokens / tokens / prompt);
  return `, ${(speed / generation).toFixed(3)} of llama-batched-bench (${generation.toFixed(0)}), ${(speed / both).toFixed(3)} with its prompts (${both.toFixed(0)})`;
}

async function measureLimits(path: string): Promise<ReadonlyMap<number, BatchSpeed>> {
  const tool = findTool('llama-batched-bench');
  if (tool === undefined) return new Map();
  return runBatchedBench(tool, path, { streams: [...goals.keys()], prompt: promptTokens, tokens });
}

/** What a KV cache that all streams share would allow. */
async function measureUnified(path: string): Promise<void> {
  const tool = findTool('llama-batched-bench');
  if (tool === undefined) return;
  const sizes = { prompt: promptTokens, tokens };
  const speeds = await runBatchedBench(tool, path, { ...sizes, streams: unifiedStreams, unified: true });
  for (const [streams, { generation }] of speeds)
    report({
      what: `llama-batched-bench, a unified cache, ${streams} streams`,
      value: `${generation.toFixed(0)} tokens/s`,
    });
}

async function measureLlamaServer(path: string): Promise<void> {
  const program = findTool('llama-server');
  if (program === undefined) return;
  const parallel = Math.max(...comparedStreams);
  const server = await startLlamaServer({ program, model: path, contextLength, parallel, extra: ['-ngl', '99'] });
  try {
    for (const streams of comparedStreams) {
      const { speed, first } = await measureStreams(
        streams,
        (prompt, seed) => askLlamaServer(server, prompt, tokens, seed),
        1,
      );
      report({
        what: `llama-server, ${streams} ${streams === 1 ? 'stream' : 'streams'}`,
        value: `${speed.toFixed(0)} tokens/s, first token ${first.toFixed(0)} ms`,
      });
    }
  } finally {
    await server.stop();
  }
}

const longPrompt = 512;

async function measurePrompt(server: TestServer, path: string, gpu: string): Promise<void> {
  const speeds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const prompt = textOf(longPrompt);
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
  const sizes = { streams: [1], prompt: longPrompt, tokens: 1 };
  const limit = tool === undefined ? undefined : (await runBatchedBench(tool, path, sizes)).get(1)?.prompt;
  report({
    what: `${gpu}, a prompt of ${longPrompt} tokens`,
    value: `${median(speeds).toFixed(0)} tokens/s${limit === undefined ? '' : `, llama-batched-bench ${limit.toFixed(0)}`}`,
  });
}
