// hearth bench MODEL: measures the speed of a model through the API, as a client sees it.

import { HearthError } from '../../base/errors.ts';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../base/time/duration.ts';
import type { GenerateResponseBody } from '../../server/dialects/ollama/generation/generate-schema.ts';
import type { CliContext, CommandSpec } from '../command.ts';
import { withModelHint } from '../output/explain.ts';
import { formatElapsed, formatJson, safeLine } from '../output/format.ts';
import { formatTable } from '../output/table.ts';

export const benchCommand: CommandSpec = {
  name: 'bench',
  summary: 'Measure the speed of a model',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    { flags: '-r, --rounds <number>', help: 'Number of rounds (default 3)' },
    { flags: '-n, --tokens <number>', help: 'Tokens to generate per round (default 128)' },
    { flags: '-p, --prompt-tokens <number>', help: 'Approximate prompt length in tokens (default 256)' },
    { flags: '--json', help: 'Print the rounds and their medians as JSON' },
  ],
  examples: ['hearth bench ember', 'hearth bench ember --rounds 5 --json'],
  async execute(context, { words: [model = ''], options }) {
    const plan = {
      model,
      rounds: readCount(options['rounds'], '--rounds', 3),
      tokens: readCount(options['tokens'], '--tokens', 128),
      promptTokens: readCount(options['promptTokens'], '--prompt-tokens', 256),
    };
    const result = { model, ...(await measure(context, plan)) };
    context.terminal.stdout.write(options['json'] === true ? formatJson(toJsonResult(result)) : formatResult(result));
  },
};

const maxCount = 100_000;

function readCount(value: unknown, flag: string, defaultCount: number): number {
  if (value === undefined) return defaultCount;
  const count = Number(value);
  if (/^\d+$/.test(String(value)) && count >= 1 && count <= maxCount) return count;
  throw new HearthError('bad_request', `${flag} must be an integer from 1 to ${maxCount}`);
}

interface Plan {
  readonly model: string;
  readonly rounds: number;
  readonly tokens: number;
  readonly promptTokens: number;
}

interface Result {
  readonly model: string;
  /** Nanoseconds until the model was ready. */
  readonly loadTime: number;
  readonly rounds: readonly Round[];
}

async function measure(context: CliContext, plan: Plan): Promise<Omit<Result, 'model'>> {
  const { connect, terminal, clock, signal } = context;
  const { model } = plan;
  const client = await connect();
  const { showProgress } = await import('../progress/show-progress.ts');
  const progress = showProgress({ screen: terminal.stderr, clock });
  try {
    progress.update({ status: `loading ${safeLine(model)}` });
    const start = clock.monotonic();
    await withModelHint(client, model, drain(client.generate({ model }, signal)));
    const loadTime = clock.monotonic() - start;
    const rounds: Round[] = [];
    while (rounds.length < plan.rounds) {
      progress.update({ status: `round ${rounds.length + 1} of ${plan.rounds}` });
      rounds.push(await measureRound(context, plan, rounds.length));
    }
    return { loadTime, rounds };
  } finally {
    progress.end();
  }
}

/** A model can stop early: a round requests further answers until it has enough tokens. */
const maxAnswers = 16;

async function measureRound(context: CliContext, plan: Plan, round: number) {
  const answers: Answer[] = [];
  const sum = (key: keyof Answer): number => answers.reduce((total, answer) => total + answer[key], 0);
  while (answers.length < maxAnswers && sum('tokens') < plan.tokens) {
    const tokens = plan.tokens - sum('tokens');
    answers.push(await measureAnswer(context, { ...plan, tokens }, round * maxAnswers + answers.length));
  }
  return {
    promptTokens: sum('promptTokens'),
    /** Tokens per second. */
    promptRate: rateOf(sum('promptTokens'), sum('promptTime')),
    tokens: sum('tokens'),
    rate: rateOf(sum('tokens'), sum('time')),
    /** Milliseconds from the request to the first text, measured by the client. */
    firstToken: median(answers.map(({ firstToken }) => firstToken)),
  };
}

type Round = Awaited<ReturnType<typeof measureRound>>;

async function measureAnswer({ client, clock, signal }: CliContext, plan: Plan, number: number) {
  const start = clock.monotonic();
  let firstToken: number | undefined;
  let last: GenerateResponseBody | undefined;
  const request = {
    model: plan.model,
    prompt: writePrompt(plan.promptTokens, start + number),
    options: { num_predict: plan.tokens, seed: number },
  };
  for await (const object of client().generate(request, signal)) {
    firstToken ??= clock.monotonic();
    last = object;
  }
  return {
    promptTokens: last?.prompt_eval_count ?? 0,
    /** The prompt time in nanoseconds, measured by the server. */
    promptTime: last?.prompt_eval_duration ?? 0,
    tokens: last?.eval_count ?? 0,
    time: last?.eval_duration ?? 0,
    firstToken: ((firstToken ?? start) - start) / nanosecondsPerMillisecond,
  };
}

type Answer = Awaited<ReturnType<typeof measureAnswer>>;

const words = ['river', 'stone', 'lamp', 'garden', 'music', 'winter', 'bridge', 'paper', 'sailor', 'window'];
const question = 'Tell me a long story with some of these words in it.';

/** Each prompt starts differently, so that the prefix cache has no effect. */
function writePrompt(tokens: number, nonce: number): string {
  const count = Math.max(1, tokens - 24);
  const text = Array.from({ length: count }, (_, index) => words[(index * 7 + nonce) % words.length]);
  return `${nonce % 1e6}: ${text.join(' ')}. ${question}`;
}

function rateOf(tokens: number, nanoseconds: number): number {
  return nanoseconds > 0 ? (tokens / nanoseconds) * nanosecondsPerSecond : 0;
}

async function drain(objects: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of objects);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function formatResult({ model, loadTime, rounds }: Result): string {
  const row = (name: string, values: readonly number[], unit: string, tokens = ''): string[] => [
    name,
    tokens,
    ...[median(values), Math.min(...values), Math.max(...values)].map((value) => `${value.toFixed(1)} ${unit}`),
  ];
  const tokensOf = (key: 'promptTokens' | 'tokens'): string => String(median(rounds.map((round) => round[key])));
  const table = formatTable(
    [safeLine(model), 'TOKENS', 'MEDIAN', 'MIN', 'MAX'],
    [
      row(
        'prompt',
        rounds.map((round) => round.promptRate),
        'tokens/s',
        tokensOf('promptTokens'),
      ),
      row(
        'generation',
        rounds.map((round) => round.rate),
        'tokens/s',
        tokensOf('tokens'),
      ),
      row(
        'first token',
        rounds.map((round) => round.firstToken),
        'ms',
      ),
    ],
  );
  const count = rounds.length === 1 ? '1 round' : `${rounds.length} rounds`;
  return `${table}\n${count}, load time ${formatElapsed(roundToMilliseconds(loadTime))}\n`;
}

/** Rounds nanoseconds to full milliseconds. */
function roundToMilliseconds(nanoseconds: number): number {
  return Math.round(nanoseconds / nanosecondsPerMillisecond) * nanosecondsPerMillisecond;
}

function toJsonResult({ model, loadTime, rounds }: Result): object {
  const medianOf = (key: keyof Round): number => median(rounds.map((round) => round[key]));
  return {
    model,
    load_duration: loadTime,
    prompt_tokens_per_second: medianOf('promptRate'),
    tokens_per_second: medianOf('rate'),
    first_token_ms: medianOf('firstToken'),
    rounds: rounds.map(({ promptTokens, promptRate, tokens, rate, firstToken }) => ({
      prompt_eval_count: promptTokens,
      prompt_tokens_per_second: promptRate,
      eval_count: tokens,
      tokens_per_second: rate,
      first_token_ms: firstToken,
    })),
  };
}
