// Measures speculation: tokens per second with it and without it, for answers that quote their prompt and for answers
// that do not. The model counts, so the prompt decides how much of the answer it contains.

import type { TestServer } from '../test/support/server.ts';
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
  { what: 'the same, every 30th edited, so that drafts do not pay', file: editedFile(30), goal: 0.98 },
  { what: 'text that repeats nothing', file: [], goal: 0.98 },
];

export async function measureSpeculation(server: TestServer, model: string): Promise<void> {
  for (const { what, file, goal } of workloads) {
    const speed = async (speculate: boolean): Promise<GenerationSpeed> => {
      await settle();
      return generate(server, { model, prompt, context: file, options: { speculate, num_predict: tokens, seed: 1 } });
    };
    // Fills the prefix cache.
    await speed(false);
    const pairs: { readonly on: GenerationSpeed; readonly off: GenerationSpeed }[] = [];
    for (let round = 0; round < rounds; round++) pairs.push({ off: await speed(false), on: await speed(true) });
    const ratio = median(pairs.map(({ on, off }) => on.tokensPerSecond / off.tokensPerSecond));
    const isSame = pairs.every(({ on, off }) => on.text === off.text);
    const speeds = [pairs.map(({ on }) => on), pairs.map(({ off }) => off)]
      .map((all) => median(all.map(({ tokensPerSecond }) => tokensPerSecond)).toFixed(1))
      .join(' and ');
    report({
      what: `${model}, speculation, ${what}`,
      value: `${ratio.toFixed(3)} of the speed without (${speeds} tokens/s), ${isSame ? 'the same text' : 'ANOTHER TEXT'}`,
      goal: `≥ ${goal}`,
      met: ratio >= goal && isSame,
    });
  }
}

interface GenerationSpeed {
  readonly tokensPerSecond: number;
  readonly text: string;
}

async function generate({ url }: TestServer, body: object): Promise<GenerationSpeed> {
  const response = await fetch(`${url}/api/generate`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: false }),
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
