// Whether an answer passes the check of its item.

import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ChatResponseToolCall } from '../../server/dialects/ollama/generation/chat-schema.ts';
import type { ExpectedCall, ItemCheck } from './item.ts';
import { matchPattern } from './match-pattern.ts';

interface GivenAnswer {
  readonly text: string;
  readonly calls: readonly Pick<ChatResponseToolCall, 'function'>[];
}

/** Throws if a pattern of the check is not valid or takes too long. */
export function passesCheck(check: ItemCheck, { text, calls }: GivenAnswer): boolean {
  const { exact, number, pattern, ignoreCase = false, schema, call } = check;
  const answer = text.trim();
  if (exact !== undefined) return [exact].flat().some((expected) => normalize(expected) === normalize(answer));
  if (number !== undefined) return lastNumberOf(answer) === number;
  if (pattern !== undefined) return matchPattern(answer, pattern, ignoreCase ? 'iu' : 'u');
  if (schema !== undefined) return compileSchema(schema)(parseJson(answer));
  if (call === null) return calls.length === 0;
  return call !== undefined && calls.length === 1 && isSameCall(calls[0], call);
}

function normalize(text: string): string {
  const trimmed = text.trim().toLowerCase();
  return trimmed.endsWith('.') ? trimmed.slice(0, -1) : trimmed;
}

function lastNumberOf(text: string): number | undefined {
  // Thousands are separated by commas in some answers.
  const last = text.match(/-?\d[\d,]*(\.\d+)?/g)?.at(-1);
  return last === undefined ? undefined : Number(last.replaceAll(',', ''));
}

/** JSON alone, or in a code block. Undefined for other texts, which no schema of an answer accepts. */
function parseJson(text: string): unknown {
  const lines = text.split('\n');
  const isBlock = lines.length > 2 && /^```(json)?$/i.test(lines[0]?.trim() ?? '') && lines.at(-1)?.trim() === '```';
  try {
    return JSON.parse(isBlock ? lines.slice(1, -1).join('\n') : text);
  } catch {
    return undefined;
  }
}

/** As ajv wants it. It keeps one of them for each text of `toString`. */
function createPattern(pattern: string, flags: string) {
  return { test: (text: string) => matchPattern(text, pattern, flags), toString: () => `/${pattern}/${flags}` };
}

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  // Two schemas may have the same $id.
  addUsedSchema: false,
  // The patterns of a schema can be slow, too.
  code: { regExp: Object.assign(createPattern, { code: '' }) },
});

/** Throws if it is not a valid JSON schema. */
export function compileSchema(schema: unknown): (value: unknown) => boolean {
  if (typeof schema !== 'object' || schema === null) throw new TypeError('a schema is an object');
  const validate = ajv.compile(schema);
  return (value) => value !== undefined && validate(value) === true;
}

/** All arguments must be equal. White space around texts and their case do not matter. */
function isSameCall(given: GivenAnswer['calls'][number] | undefined, { name, arguments: args }: ExpectedCall): boolean {
  return given?.function.name === name && isDeepStrictEqual(comparable(given.function.arguments), comparable(args));
}

function comparable(value: unknown): unknown {
  if (typeof value === 'string') return normalize(value);
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, comparable(entry)]));
}
