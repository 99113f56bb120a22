// npm run bench speculation: tokens per second with speculation and without it, in turn.

import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { gpuEnvironment } from './gpu-environment.ts';
import { headModel } from './head-model.ts';
import { findLlamaServer, startLlamaServer } from './llama-server.ts';
import { countingModel, smallCountingModel, smallRandomModel } from './random-model.ts';
import { readStream } from './read-stream.ts';
import { median, report, rounds, settle } from './report.ts';
import {
  countingName,
  editPrompt,
  editWorkload,
  headNames,
  rightDraft,
  type Workload,
  workloads,
  wrongDraft,
} from './speculation-workloads.ts';

const tokens = Number(process.env['BENCH_EDIT_TOKENS'] ?? 512);
const contextLength = 4096;
const folder = repository('build/models');

export async function measureSpeculation(): Promise<void> {
  const environment = { ...gpuEnvironment, HEARTH_CONTEXT_LENGTH: String(contextLength), HEARTH_NUM_PARALLEL: '1' };
  const server = await startServer({ environment });
  try {
    const selected = process.env['BENCH_SPECULATION'] ?? '';
    const chosen = workloads.filter(({ model, what }) => `${model} ${what}`.includes(selected));
    const needed = new Set(chosen.flatMap(({ model, options }) => [model, options['draft_model']]));
    for (const [name, write] of Object.entries(generated))
      if (needed.has(name)) await addModel(server, { name, path: write(), template: '{{ .Prompt }}' });
    for (const workload of chosen) await measureWorkload(server, workload);
  } finally {
    await server.stop();
  }
  await measureLlamaServer();
}

/** Each returns the path of its model. */
const generated: Readonly<Record<string, () => string>> = {
  [countingName]: () => countingModel(folder),
  [rightDraft]: () => smallCountingModel(folder),
  [wrongDraft]: () => smallRandomModel(folder),
  [headNames.right]: () => headModel(folder, 'right'),
  [headNames.wrong]: () => headModel(folder, 'wrong'),
  [headNames.half]: () => headModel(folder, 'half'),
};

interface Pair {
  readonly on: GenerationSpeed;
  readonly off: GenerationSpeed;
}

async function measureWorkload(server: TestServer, workload: Workload): Promise<void> {
  const { model, body, options } = workload;
  const run = async (round: number, speculate: boolean, count = tokens): Promise<GenerationSpeed> => {
    await settle();
    const limits = { speculate, num_predict: count, seed: round + 1, ...options };
    return generate(server, { model, ...body(round), options: limits });
  };
  // Fills the prefix cache, and measures what passes cost.
  await run(0, false, 1);
  await run(0, true);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++)
    pairs.push(
      round % 2 === 0
        ? { off: await run(round, false), on: await run(round, true) }
        : { on: await run(round, true), off: await run(round, false) },
    );
  reportPairs(workload, pairs);
}

function reportPairs({ model, what, goal, sameText }: Workload, pairs: readonly Pair[]): void {
  const ratio = median(pairs.map(({ on, off }) => on.tokensPerSecond / off.tokensPerSecond));
  const isSame = pairs.every(({ on, off }) => on.text === off.text);
  const speeds = [pairs.map(({ on }) => on), pairs.map(({ off }) => off)]
    .map((all) => median(all.map(({ tokensPerSecond }) => tokensPerSecond)).toFixed(1))
    .join(' and ');
  report({
    what: `${model}, speculation, ${what}`,
    value: `${ratio.toFixed(3)} of the speed without (${speeds} tokens/s), ${isSame ? 'the same text' : 'another text'}`,
    goal: `≥ ${goal}${sameText ? ', the same text' : ''}`,
    met: ratio >= goal && (isSame || !sameText),
  });
}

interface GenerationSpeed {
  readonly tokensPerSecond: number;
  readonly text: string;
}

async function generate({ url }: TestServer, body: object): Promise<GenerationSpeed> {
  const answer = await post<{ response: string; eval_count: number; eval_duration: number }>(`${url}/api/generate`, {
    ...body,
    stream: false,
  });
  return { tokensPerSecond: (answer.eval_count / answer.eval_duration) * 1e9, text: answer.response };
}

async function post<Answer>(url: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as Answer & { readonly error?: unknown };
  if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
  return answer;
}

/** The first workload with llama-server, without speculation and with its default. */
async function measureLlamaServer(): Promise<void> {
  const program = findLlamaServer();
  if (program === undefined) {
    console.log('      no llama-server found: set HEARTH_LLAMA_SERVER to compare with it');
    return;
  }
  for (const extra of [[], ['--spec-default']]) {
    try {
      await measureEdit({ program, model: countingModel(folder), contextLength, parallel: 1, extra });
    } catch (error) {
      console.log(`      llama-server was not measured: ${error instanceof Error ? error.message : error}`);
    }
  }
}

async function measureEdit(options: Parameters<typeof startLlamaServer>[0]): Promise<void> {
  const server = await startLlamaServer(options);
  try {
    const body = { prompt: editPrompt, n_predict: tokens, temperature: 0, cache_prompt: true, stream: true };
    const speeds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { lines, streaming } = await readStream(`${server.url}/completion`, body, { newConnection: true });
      // The last line is an error: llama-server refuses bytes that are no UTF-8 when the answer is complete.
      const counts = lines.map((line) => Number(/"tokens_predicted":(\d+)/.exec(line)?.[1] ?? 0));
      speeds.push(((Math.max(...counts) - 1) / streaming) * 1000);
    }
    const variant = options.extra?.join(' ') || 'without speculation';
    report({
      what: `${countingName} in llama-server, ${editWorkload}, ${variant}`,
      value: `${median(speeds).toFixed(1)} tokens/s`,
    });
  } finally {
    await server.stop();
  }
}
