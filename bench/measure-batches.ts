// Measures what a batch costs people: eight users who ask, read the answer and think for a moment, with and without a
// batch in the background, in turns. And how much of the machine the batch and the users use together, next to a batch alone.

import type { BatchBody } from '../src/features/batches/batches-schema.ts';
import { pause } from '../test/support/processes.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { gpuEnvironment } from './gpu-environment.ts';
import { median, report, rounds } from './report.ts';
import { freshText, timePieces } from './server-load.ts';

const model = 'ember';
const users = 8;
const lines = 5000;
// The same for users and for lines, so that their tokens cost the same and can be added.
const answerTokens = 48;
const promptWords = 100;
const maxThinkingMs = 2000;
const turnMs = 20_000;
const longestDelay = 1.05;
const leastUse = 0.9;

interface Turn {
  /** Milliseconds, of all answers. */
  readonly first: readonly number[];
  readonly between: readonly number[];
  /** Tokens of the users. */
  readonly tokens: number;
  /** Tokens of the batch. */
  readonly batched: number;
}

export async function measureBatches(path: string): Promise<void> {
  const server = await startServer({
    environment: { ...gpuEnvironment, HEARTH_NUM_PARALLEL: String(users), HEARTH_CONTEXT_LENGTH: '2048' },
  });
  try {
    await addModel(server, { name: model, path, template: '{{ .Prompt }}' });
    await runUsers(server, turnMs / 4);
    const alone: Turn[] = [];
    const beside: Turn[] = [];
    const uses: number[] = [];
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      alone.push(await runUsers(server, turnMs));
      const batch = await startBatch(server);
      const before = await countOf(server, batch);
      await pause(turnMs);
      const most = (await countOf(server, batch)) - before;
      const turn = await runUsers(server, turnMs, batch);
      beside.push(turn);
      uses.push((turn.tokens + turn.batched) / (most * answerTokens));
      await fetch(`${server.url}/v1/batches/${batch}/cancel`, { method: 'POST' });
      await untilEnded(server, batch);
    }
    for (const [what, pick] of [
      ['first token', (turn: Turn) => turn.first],
      ['between two tokens', (turn: Turn) => turn.between],
    ] as const) {
      const ratio = percentile(beside.flatMap(pick), 0.95) / percentile(alone.flatMap(pick), 0.95);
      const [with_, without] = [beside, alone].map((turns) => percentile(turns.flatMap(pick), 0.95).toFixed(0));
      report({
        what: `${model}, ${users} users beside a batch of ${lines} lines, ${what} (95 %)`,
        value: `${ratio.toFixed(3)} of that without (${with_} and ${without} ms)`,
        goal: `≤ ${longestDelay}`,
        met: ratio <= longestDelay,
      });
    }
    const share = median(beside.map(({ tokens, batched }) => batched / (tokens + batched)));
    report({
      what: `${model}, tokens of the users and of the batch`,
      value: `${median(uses).toFixed(3)} of those of a batch alone, ${(100 * share).toFixed(0)} % of them of the batch`,
      goal: `≥ ${leastUse}`,
      met: median(uses) >= leastUse,
    });
  } finally {
    await server.stop();
  }
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] as number;
}

/** With a batch, its lines that end in the same time count. */
async function runUsers(server: TestServer, milliseconds: number, batch?: string): Promise<Turn> {
  const before = batch === undefined ? 0 : await countOf(server, batch);
  const end = performance.now() + milliseconds;
  const answers = (
    await Promise.all(
      Array.from({ length: users }, async (_, user) => {
        const own: Awaited<ReturnType<typeof timePieces>>[] = [];
        for (let turn = 0; performance.now() < end; turn++) {
          // The same in every run.
          await pause((((user * 7 + turn * 13) % users) / users) * maxThinkingMs);
          const options = { num_ctx: 2048, temperature: 0.8 };
          const prompt = freshText(promptWords);
          own.push(await timePieces({ url: server.url, model, prompt, tokens: answerTokens, seed: turn, options }));
        }
        return own;
      }),
    )
  ).flat();
  const ended = batch === undefined ? 0 : (await countOf(server, batch)) - before;
  return {
    first: answers.map(({ first }) => first),
    between: answers.flatMap(({ between }) => between),
    tokens: answers.length * answerTokens,
    batched: ended * answerTokens,
  };
}

async function startBatch({ url }: TestServer): Promise<string> {
  const input = Array.from({ length: lines }, (_, index) =>
    JSON.stringify({
      custom_id: String(index),
      method: 'POST',
      url: '/v1/completions',
      body: { model, prompt: freshText(promptWords), max_tokens: answerTokens },
    }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([input.join('\n')]), 'lines.jsonl');
  const file = await read<{ readonly id: string }>(fetch(`${url}/v1/files`, { method: 'POST', body: form }));
  const body = JSON.stringify({ input_file_id: file.id, endpoint: '/v1/completions', completion_window: '24h' });
  const { id } = await read<BatchBody>(fetch(`${url}/v1/batches`, { method: 'POST', body }));
  while ((await batchOf(url, id)).request_counts.completed === 0) await pause(100);
  return id;
}

async function countOf({ url }: TestServer, id: string): Promise<number> {
  const { completed, failed } = (await batchOf(url, id)).request_counts;
  if (failed > 0) throw new Error(`${failed} lines of the batch failed`);
  return completed;
}

async function untilEnded({ url }: TestServer, id: string): Promise<void> {
  while ((await batchOf(url, id)).status !== 'cancelled') await pause(100);
}

function batchOf(url: string, id: string): Promise<BatchBody> {
  return read<BatchBody>(fetch(`${url}/v1/batches/${id}`));
}

async function read<Body>(answer: Promise<Response>): Promise<Body> {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}
