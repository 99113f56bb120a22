// One request in the usage log: a JSON object on a line. Nothing in it comes from a prompt or an answer.

import { formatTimestamp, parseTimestamp } from '../../../base/time/timestamp.ts';

export interface UsageRecord {
  /** When the request ended: milliseconds since the epoch. */
  readonly time: number;
  /** The name of its key; empty if the server had no keys. */
  readonly key: string;
  /** Empty if the request named none that exists. */
  readonly model: string;
  readonly dialect: string;
  readonly promptTokens: number;
  /** The part of the prompt that the prefix cache provided. */
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly milliseconds: number;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
}

/** Longer lines are not records. */
export const maxLineBytes = 4096;

// Names are shorter; this keeps a line within its limit.
const maxNameLength = 300;

export function formatRecord(record: UsageRecord): string {
  const { time, key, model, dialect, promptTokens, cachedTokens, generatedTokens, milliseconds, outcome } = record;
  const fields = {
    time: formatTimestamp(time),
    ...(key === '' ? {} : { key: key.slice(0, maxNameLength) }),
    model: model.slice(0, maxNameLength),
    dialect,
    prompt_tokens: promptTokens,
    cached_tokens: cachedTokens,
    generated_tokens: generatedTokens,
    duration_ms: milliseconds,
    outcome,
  };
  return `${JSON.stringify(fields)}\n`;
}

/** Undefined for a line that is not a record, such as the first part of one after a crash. */
export function parseRecord(line: string): UsageRecord | undefined {
  const fields = parseObject(line);
  const time = parseTimestamp(textOf(fields?.['time']));
  if (fields === undefined || Number.isNaN(time)) return undefined;
  return {
    time,
    key: textOf(fields['key']),
    model: textOf(fields['model']),
    dialect: textOf(fields['dialect']),
    promptTokens: countOf(fields['prompt_tokens']),
    cachedTokens: countOf(fields['cached_tokens']),
    generatedTokens: countOf(fields['generated_tokens']),
    milliseconds: countOf(fields['duration_ms']),
    outcome: textOf(fields['outcome']),
  };
}

function parseObject(line: string): Record<string, unknown> | undefined {
  // Quick, and most torn lines do not end with a bracket.
  if (!line.startsWith('{') || !line.endsWith('}')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}
