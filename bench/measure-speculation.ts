// Measures speculation: tokens per second with it and without it, for answers that quote their prompt and for answers
// that do not. The model counts, so the prompt decides how much of the answer it contains.

import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { countingModel } from './random-model.ts';
import { median, report, rounds, settle } from './report.ts';

interface Workload {
  readonly what: string;
  /** Tokens before the answer. */
  readonly file: readonly number[];
  /** The least ratio of the speeds with and without speculation. */
  readonly goal: number;
}

// The answer begins with the token after the prompt and counts on.
const prompt = 'a';
const firstToken = prompt.charCodeAt(0) + 1;
const fileTokens = 2000;
const model = 'counting-500m';
const tokens = Number(process.env['BENCH_EDIT_TOKENS'] ?? 512);

/** The file that the model answers with, if every `period`-th token is another one. */
function editedFile(period: number): number[] {
  const last = firstToken + fileTokens - 1;
  return Array.from({ length: fileTokens }, (_, index) =>
    index % period === period - 1 ? last + index : firstToken + index,
  );
}

const workloads: readonly Workload[] = [
  { what: 'a file of 2,000 tokens, every 50th edited', file: editedFile(50), goal: 1.8 },
  { what: 'the same, every 26th edited, so that drafts do not pay', file: editedFile(26), goal: 0.98 },
  { what: 'text that repeats nothing', file: [], goal: 0.98 },
];

export async function measureSpeculation(): Promise<void> {
  const server = await startServer({ environment: { HEARTH_CONTEXT_LENGTH: '4096', HEARTH_NUM_PARALLEL: '1' } });
  try {
    await addModel(server, {
      name: model,
      path: countingModel(repository('build/models')),
      template: '{{ .Prompt }}',
    });
    for (const workload of workloads) await measureWorkload(server, workload);
  } finally {
    await server.stop();
  }
}

async function measureWorkload(server: TestServer, { what, file, goal }: Workload): Promise<void> {
  const run = async (speculate: boolean, count = tokens): Promise<GenerationSpeed> => {
    await settle();
    return generate(server, { prompt, context: file, options: { speculate, num_predict: count, seed: 1 } });
  };
  // Fills the prefix cache.
  await run(false, 1);
  const pairs: { readonly on: GenerationSpeed; readonly off: GenerationSpeed }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ off: await run(false), on: await run(true) });
  const ratio = median(pairs.map(({ on, off }) => on.tokensPerSecond / off.tokensPerSecond));
  const isSame = pairs.every(({ on, off }) => on.text === off.text);
  const speeds = [pairs.map(({ on }) => on), pairs.map(({ off }) => off)]
    .map((all) => median(all.map(({ tokensPerSecond }) => tokensPerSecond)).toFixed(1))
    .join(' and ');
  report({
    what: `${model}, speculation, ${what}`,
    value: `${ratio.toFixed(3)} of the speed without (${speeds} tokens/s), ${isSame ? 'the same text' : 'another text'}`,
    goal: `≥ ${goal}, the same text`,
    met: ratio >= goal && isSame,
  });
}

interface GenerationSpeed {
  readonly tokensPerSecond: number;
  readonly text: string;
}

async function generate({ url }: TestServer, body: object): Promise<GenerationSpeed> {
  const response = await fetch(`${url}/api/generate`, {
    method: 'POST',
    body: JSON.stringify({ model, ...body, stream: false }),
  });
  const answer = (await response.json()) as {
    response: string;
    eval_count: number;
    eval_duration: number;
    error?: string;
  };
  if (answer.error !== undefined) throw new Error(answer.error);
  return { tokensPerSecond: (answer.eval_count / answer.eval_duration) * 1e9, text: answer.response };
}
