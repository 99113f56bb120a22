// The statistics of an answer as text.

import { formatCount } from '../ui/format.ts';
import type { AnswerStats } from './chat-document.ts';

interface Statistic {
  readonly text: string;
  readonly explanation: string;
}

const nanosecondsPerSecond = 1e9;

export function describeStats(stats: AnswerStats): Statistic[] {
  return [...firstToken(stats), ...speed(stats), ...prompt(stats)];
}

function firstToken({ first_token: milliseconds, load_duration: load = 0 }: AnswerStats): Statistic[] {
  if (milliseconds === undefined) return [];
  const loading = load > nanosecondsPerSecond / 10 ? `, including ${formatSeconds(load / 1e6)} to load the model` : '';
  return [
    {
      text: `${formatSeconds(milliseconds)} to first token`,
      explanation: `Time until the first text arrived${loading}`,
    },
  ];
}

function speed({ eval_count: tokens, eval_duration: duration }: AnswerStats): Statistic[] {
  if (tokens === undefined) return [];
  const count = { text: `${formatCount(tokens)} tokens`, explanation: 'Tokens in the answer' };
  if (duration === undefined || duration === 0) return [count];
  const rate = (tokens / duration) * nanosecondsPerSecond;
  const text = `${rate >= 100 ? Math.round(rate) : rate.toFixed(1)} tokens/s`;
  return [{ text, explanation: 'Generation speed' }, count];
}

function prompt({ prompt_eval_count: tokens, prompt_eval_cached_count: cached = 0 }: AnswerStats): Statistic[] {
  if (tokens === undefined || tokens === 0) return [];
  const share = Math.round((100 * cached) / tokens);
  const explanation = `Tokens in the prompt; ${formatCount(cached)} of them were reused from the cache`;
  return [{ text: `prompt ${formatCount(tokens)}${share > 0 ? `, ${share}% cached` : ''}`, explanation }];
}

/** What the model did not see of a prompt that was too long; empty if it saw everything. */
export function describeMissed({ dropped_messages: messages = 0, dropped_tokens: tokens = 0 }: AnswerStats): string {
  if (messages === 0 && tokens === 0) return '';
  const oldest = messages === 1 ? 'the oldest message' : `the ${formatCount(messages)} oldest messages`;
  const count = tokens === 0 ? '' : `${formatCount(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;
  const missed = messages === 0 ? count : count === '' ? oldest : `${oldest} (${count})`;
  return `The prompt is longer than the context: the model did not see ${missed}.`;
}

/** The tokens of the context that a conversation uses after an answer. */
export function usedContext({ prompt_eval_count: prompted = 0, eval_count: generated = 0 }: AnswerStats): number {
  return prompted + generated;
}

function formatSeconds(milliseconds: number): string {
  if (milliseconds < 995) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
