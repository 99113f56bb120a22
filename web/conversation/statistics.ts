// The statistics of an answer as text.

import { plural, t } from '../language/language.ts';
import { formatShare, formatSpeed, formatTime } from '../ui/format.ts';
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
  const explanation =
    load > nanosecondsPerSecond / 10
      ? t('Time until the first text arrived, including {time} to load the model', { time: formatTime(load / 1e6) })
      : t('Time until the first text arrived');
  return [{ text: t('{time} to first token', { time: formatTime(milliseconds) }), explanation }];
}

function speed({ eval_count: tokens, eval_duration: duration }: AnswerStats): Statistic[] {
  if (tokens === undefined) return [];
  const count = { text: plural(tokens, '{count} token', '{count} tokens'), explanation: t('Tokens in the answer') };
  if (duration === undefined || duration === 0) return [count];
  const rate = (tokens / duration) * nanosecondsPerSecond;
  const text = t('{count} tokens/s', { count: formatSpeed(rate) });
  return [{ text, explanation: t('Generation speed') }, count];
}

function prompt({ prompt_eval_count: tokens, prompt_eval_cached_count: cached = 0 }: AnswerStats): Statistic[] {
  if (tokens === undefined || tokens === 0) return [];
  const share = Math.round((100 * cached) / tokens) / 100;
  const explanation = t('Tokens in the prompt; {count} of them were reused from the cache', { count: cached });
  const text =
    share > 0
      ? t('prompt {count}, {share} cached', { count: tokens, share: formatShare(share) })
      : t('prompt {count}', { count: tokens });
  return [{ text, explanation }];
}

/** What the model did not see of a prompt that was too long; empty if it saw everything. */
export function describeMissed({ dropped_messages: messages = 0, dropped_tokens: tokens = 0 }: AnswerStats): string {
  if (messages === 0 && tokens === 0) return '';
  const oldest = plural(messages, 'the oldest message', 'the {count} oldest messages');
  const count = plural(tokens, '{count} token', '{count} tokens');
  const missed = messages === 0 ? count : tokens === 0 ? oldest : `${oldest} (${count})`;
  return t('The prompt is longer than the context: the model did not see {missed}.', { missed });
}

/** The tokens of the context that a conversation uses after an answer. */
export function usedContext({ prompt_eval_count: prompted = 0, eval_count: generated = 0 }: AnswerStats): number {
  return prompted + generated;
}
