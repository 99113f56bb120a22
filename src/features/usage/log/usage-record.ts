// One request in the usage log: a JSON object on a line. Nothing in it comes from a prompt or an answer.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import { parseJson } from '../../../base/json-values.ts';
import { formatTimestamp, parseTimestamp } from '../../../base/time/timestamp.ts';

export interface UsageRecord {
  /** When the request ended: milliseconds since the epoch. */
  readonly time: number;
  /** The name of its key; empty if the server had no keys. */
  readonly key: string;
  /** Absent in records of earlier versions. */
  readonly keyId?: string;
  /** Empty if the request named none that exists. */
  readonly model: string;
  /** The name in the request that stood for the model. Absent: the request named the model itself. */
  readonly alias?: string;
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
  const {
    time,
    key,
    keyId,
    model,
    alias,
    dialect,
    promptTokens,
    cachedTokens,
    generatedTokens,
    milliseconds,
    outcome,
  } = record;
  const fields = {
    time: formatTimestamp(time),
    ...(key === '' ? {} : { key: key.slice(0, maxNameLength) }),
    ...(keyId === undefined ? {} : { key_id: keyId }),
    model: model.slice(0, maxNameLength),
    alias: alias?.slice(0, maxNameLength),
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
    keyId: textOf(fields['key_id']) || undefined,
    model: textOf(fields['model']),
    alias: textOf(fields['alias']) || undefined,
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
  const isWhole = line.startsWith('{') && line.endsWith('}');
  return isWhole ? (parseJson(line) as Record<string, unknown> | undefined) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}

// The files of the usage log: a day has one or more, numbered from 1.
//
//   usage-2026-11-16-0001.jsonl

export interface UsageFile {
  readonly name: string;
  /** In UTC, as in the name. */
  readonly day: string;
  readonly number: number;
  readonly bytes: number;
}

export const fileLimits = {
  /** Bytes of one file. A log that is allowed less has smaller files. */
  bytes: 4 * 2 ** 20,
  /** The share of the log that one file has. */
  share: 1 / 8,
  files: 1000,
} as const;

/** Oldest first. Empty if there is no folder. */
export async function listUsageFiles(folder: string): Promise<UsageFile[]> {
  const files: UsageFile[] = [];
  for (const name of (await undefinedIfMissing(readdir(folder))) ?? []) {
    const [, day, number] = /^usage-(\d{4}-\d{2}-\d{2})-(\d{4,9})\.jsonl$/.exec(name) ?? [];
    if (day === undefined) continue;
    // The file may have been removed in the meantime.
    const info = await undefinedIfMissing(stat(join(folder, name)));
    files.push({ name, day, number: Number(number), bytes: info?.size ?? 0 });
  }
  return files.sort((a, b) => (a.day === b.day ? a.number - b.number : a.day < b.day ? -1 : 1));
}

export function dayOf(time: number): string {
  return formatTimestamp(time).slice(0, 10);
}

/** The name of the file that the next record of this day belongs to. */
export function planAppend(files: readonly UsageFile[], day: string, maxFileBytes: number): string {
  const last = files.findLast((file) => file.day === day);
  const number = last === undefined ? 1 : last.bytes < maxFileBytes ? last.number : last.number + 1;
  return `usage-${day}-${String(number).padStart(4, '0')}.jsonl`;
}

/** The oldest files, so that the others have at most so many bytes. */
export function planUsageRemovals(files: readonly UsageFile[], maxBytes: number): UsageFile[] {
  let bytes = 0;
  let kept = 0;
  const isKept = (file: UsageFile): boolean => {
    bytes += file.bytes;
    kept++;
    return bytes <= maxBytes && kept <= fileLimits.files;
  };
  const firstKept = files.length - files.toReversed().findIndex((file) => !isKept(file));
  return firstKept > files.length ? [] : files.slice(0, firstKept);
}
