// What is told about an answer after its text: what was left out of the prompt, and timing statistics for --verbose.

import type { AnswerStatistics } from '../../server/dialects/ollama/generation/statistics-schema.ts';
import { formatElapsed } from '../output/format.ts';

const labelWidth = 22;

export function formatStatistics(statistics: AnswerStatistics): string {
  const { prompt_eval_count = 0, prompt_eval_duration = 0, eval_count = 0, eval_duration = 0 } = statistics;
  const rows: (readonly [string, string] | undefined)[] = [
    duration('total duration:', statistics.total_duration),
    duration('load duration:', statistics.load_duration),
    count('prompt eval count:', prompt_eval_count),
    duration('prompt eval duration:', prompt_eval_duration),
    rate('prompt eval rate:', prompt_eval_count, prompt_eval_duration),
    count('eval count:', eval_count),
    duration('eval duration:', eval_duration),
    rate('eval rate:', eval_count, eval_duration),
  ];
  return rows
    .filter((row) => row !== undefined)
    .map(([label, value]) => `${label.padEnd(labelWidth)}${value}\n`)
    .join('');
}

/** Empty if the model has seen everything. */
export function describeDropped({ dropped_messages = 0, dropped_tokens = 0 }: AnswerStatistics): string {
  const parts = [
    ...(dropped_messages > 0
      ? [dropped_messages === 1 ? 'the oldest message' : `the ${dropped_messages} oldest messages`]
      : []),
    ...(dropped_tokens > 0 ? [dropped_tokens === 1 ? '1 token' : `${dropped_tokens} tokens`] : []),
  ];
  return parts.length === 0
    ? ''
    : `The prompt is longer than the context: the model did not see ${parts.join(' and ')}.\n`;
}

function duration(label: string, nanoseconds = 0): readonly [string, string] | undefined {
  return nanoseconds > 0 ? [label, formatElapsed(nanoseconds)] : undefined;
}

function count(label: string, tokens: number): readonly [string, string] | undefined {
  return tokens > 0 ? [label, `${tokens} token(s)`] : undefined;
}

function rate(label: string, tokens: number, nanoseconds: number): readonly [string, string] | undefined {
  if (tokens === 0 || nanoseconds === 0) return undefined;
  return [label, `${((tokens / nanoseconds) * 1e9).toFixed(2)} tokens/s`];
}
