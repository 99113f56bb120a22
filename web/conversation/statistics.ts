// The statistics of an answer as text.

import { formatCount } from '../ui/format.ts';
import type { AnswerStats } from './chat-document.ts';

interface Statistic {
  readonly text: string;
  readonly explanation: string;
}

const nanosecondsPerSecond = 1e9;

export function describeStats(stats: AnswerStats): Statistic[] {
  return [...firstToken(stats), ...speed(stats), ...prompt(stats), ...dropped(stats)];
}

function firstToken({ first_token: milliseconds, load_duration: load = 0 }: AnswerStats): Statistic[] {
  if (milliseconds === undefined) return [];
  const loading = load > nanosecondsPerSecond / 10 ? `, of which ${formatSeconds(load / 1e6)} to load the model` : '';
  return [
    {
      text: `${formatSeconds(milliseconds)} to first token`,
      explanation: `Time until the first text arrived${loading}`,
    },
  ];
}

function speed({ eval_count: tokens, eval_duration: duration }: AnswerStats): Statistic[] {
  if (tokens === undefined) return [];
  const count = { text: `${formatCount(tokens)} tokens`, explanation: 'Tokens of the answer' };
  if (duration === undefined || duration === 0) return [count];
  const rate = (tokens / duration) * nanosecondsPerSecond;
  const text = `${rate >= 100 ? Math.round(rate) : rate.toFixed(1)} tokens/s`;
  return [{ text, explanation: 'Speed of the answer' }, count];
}

function prompt({ prompt_eval_count: tokens, prompt_eval_cached_count: cached = 0 }: AnswerStats): Statistic[] {
  if (tokens === undefined || tokens === 0) return [];
  const share = Math.round((100 * cached) / tokens);
  const explanation = `Tokens of the prompt; ${formatCount(cached)} were evaluated before and reused`;
  return [{ text: `prompt ${formatCount(tokens)}${share > 0 ? `, ${share} % cached` : ''}`, explanation }];
}

function dropped({ dropped_messages: count = 0 }: AnswerStats): Statistic[] {
  if (count === 0) return [];
  const explanation = 'The oldest messages did not fit into the context';
  return [{ text: `${count} ${count === 1 ? 'message' : 'messages'} left out`, explanation }];
}

/** The tokens of the context that a conversation uses after an answer. */
export function usedContext({ prompt_eval_count: prompted = 0, eval_count: generated = 0 }: AnswerStats): number {
  return prompted + generated;
}

function formatSeconds(milliseconds: number): string {
  if (milliseconds < 995) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
