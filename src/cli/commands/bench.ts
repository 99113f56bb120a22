// hearth bench MODEL: how fast a model is on this machine, measured through the API as a caller would see it.

import type { GenerateResponse } from '../../api/generate.ts';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../kernel/duration.ts';
import { HearthError } from '../../kernel/errors.ts';
import type { CliContext, CommandSpec } from '../command.ts';
import { withModel } from '../explain.ts';
import { formatDuration, safeLine } from '../format.ts';
import { toJson } from '../json-output.ts';
import { showProgress } from '../progress/show-progress.ts';
import { formatTable } from '../table.ts';

export interface Round {
  readonly promptTokens: number;
  /** Tokens a second. */
  readonly promptRate: number;
  readonly tokens: number;
  readonly rate: number;
  /** Milliseconds from the call to the first text, as this program saw it. */
  readonly firstToken: number;
}

export const benchCommand: CommandSpec = {
  name: 'bench',
  summary: 'Measure how many tokens a second a model makes here',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    { flags: '-r, --rounds <number>', help: 'how often to measure (default 3)' },
    { flags: '-n, --tokens <number>', help: 'tokens to generate in a round (default 128)' },
    { flags: '-p, --prompt-tokens <number>', help: 'about so many tokens of prompt (default 256)' },
    { flags: '--json', help: 'print the rounds and their medians as JSON' },
  ],
  examples: ['hearth bench ember', 'hearth bench ember --rounds 5 --json'],
  async execute(context, { words: [model = ''], options }) {
    const plan = {
      model,
      rounds: readCount(options['rounds'], '--rounds', 3),
      tokens: readCount(options['tokens'], '--tokens', 128),
      promptTokens: readCount(options['promptTokens'], '--prompt-tokens', 256),
    };
    const { loadDuration, rounds } = await measure(context, plan);
    const result = { model, loadDuration, rounds };
    context.terminal.stdout.write(options['json'] === true ? toJson(toJsonResult(result)) : formatResult(result));
    return undefined;
  },
};

const mostOfAnything = 100_000;

function readCount(value: unknown, flag: string, byDefault: number): number {
  if (value === undefined) return byDefault;
  const count = Number(value);
  if (/^\d+$/.test(String(value)) && count >= 1 && count <= mostOfAnything) return count;
  throw new HearthError('bad_request', `${flag} must be a whole number from 1 to ${mostOfAnything}`);
}

interface Plan {
  readonly model: string;
  readonly rounds: number;
  readonly tokens: number;
  readonly promptTokens: number;
}

interface Result {
  readonly model: string;
  /** Nanoseconds; 0 when it was loaded already. */
  readonly loadDuration: number;
  readonly rounds: readonly Round[];
}

async function measure(context: CliContext, plan: Plan): Promise<Omit<Result, 'model'>> {
  const { client, terminal, clock, signal } = context;
  const { model } = plan;
  const progress = showProgress({ screen: terminal.stderr, clock });
  try {
    progress.update({ status: `loading ${safeLine(model)}` });
    const loaded = await withModel(model, lastOf(client().generate({ model }, signal)));
    const rounds: Round[] = [];
    while (rounds.length < plan.rounds) {
      progress.update({ status: `round ${rounds.length + 1} of ${plan.rounds}` });
      rounds.push(await measureRound(context, plan));
    }
    return { loadDuration: loaded.load_duration ?? 0, rounds };
  } finally {
    progress.end();
  }
}

async function measureRound({ client, clock, signal }: CliContext, plan: Plan): Promise<Round> {
  const start = clock.monotonic();
  let firstToken: number | undefined;
  let last: GenerateResponse | undefined;
  const request = {
    model: plan.model,
    prompt: writePrompt(plan.promptTokens, start),
    raw: true,
    options: { num_predict: plan.tokens, temperature: 0 },
  };
  for await (const object of client().generate(request, signal)) {
    firstToken ??= clock.monotonic();
    last = object;
  }
  const { prompt_eval_count = 0, prompt_eval_duration = 0, eval_count = 0, eval_duration = 0 } = last ?? {};
  return {
    promptTokens: prompt_eval_count,
    promptRate: rateOf(prompt_eval_count, prompt_eval_duration),
    tokens: eval_count,
    rate: rateOf(eval_count, eval_duration),
    firstToken: ((firstToken ?? start) - start) / nanosecondsPerMillisecond,
  };
}

/** Begins differently each time: what the server has evaluated before would be given away for nothing. */
function writePrompt(tokens: number, nonce: number): string {
  const words = ['river', 'stone', 'lamp', 'garden', 'music', 'winter', 'bridge', 'paper', 'sailor', 'window'];
  const text = Array.from({ length: tokens }, (_, index) => words[(index * 7 + nonce) % words.length]);
  return `${nonce} ${text.join(' ')}`;
}

function rateOf(tokens: number, nanoseconds: number): number {
  return nanoseconds > 0 ? (tokens / nanoseconds) * nanosecondsPerSecond : 0;
}

async function lastOf<T>(objects: AsyncIterable<T>): Promise<T> {
  let last: T | undefined;
  for await (const object of objects) last = object;
  if (last === undefined) throw new HearthError('internal', 'the server answered with nothing');
  return last;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

export function formatResult({ model, loadDuration, rounds }: Result): string {
  const row = (name: string, values: readonly number[], unit: string, tokens = ''): string[] => [
    name,
    tokens,
    ...[median(values), Math.min(...values), Math.max(...values)].map((value) => `${value.toFixed(1)} ${unit}`),
  ];
  const tokensOf = (key: 'promptTokens' | 'tokens'): string => String(median(rounds.map((round) => round[key])));
  const table = formatTable(
    [safeLine(model), 'TOKENS', 'MEDIAN', 'LOWEST', 'HIGHEST'],
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
  const load = loadDuration === 0 ? 'was loaded already' : `loaded in ${formatDuration(roundTo(loadDuration))}`;
  return `${table}\n${rounds.length} rounds; ${load}\n`;
}

function roundTo(nanoseconds: number): number {
  return Math.round(nanoseconds / nanosecondsPerMillisecond) * nanosecondsPerMillisecond;
}

function toJsonResult({ model, loadDuration, rounds }: Result): object {
  const medianOf = (key: keyof Round): number => median(rounds.map((round) => round[key]));
  return {
    model,
    load_duration: loadDuration,
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
