// Decides whether what came up from a runner is an event. The shape of every event is written down once
// more, as data, so that a confused or subverted runner can end its own requests but nothing else.

import type { RunnerEvent } from './messages.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const whole: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const wholes: Check = (value) => Array.isArray(value) && value.every(whole);
const finite: Check = (value) => Number.isFinite(value);
// Base64 of whole 32-bit numbers: at least one.
const floats: Check = (value) =>
  typeof value === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(value) && Buffer.byteLength(value, 'base64') % 4 === 0;
const oneOf =
  (...choices: readonly unknown[]): Check =>
  (value) =>
    choices.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const record =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]));
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const probability = { bytes: wholes, logprob: finite };
const logprobs = listOf(record({ ...probability, top: listOf(record(probability)) }));

const shapes: Readonly<Record<RunnerEvent['type'], Check>> = {
  hello: record({ protocol: whole }),
  warming: record({
    devices: listOf(record({ name: text, description: text, freeBytes: whole, totalBytes: whole })),
  }),
  loaded: record({
    engine: text,
    contextLength: whole,
    trainedContext: whole,
    parallel: whole,
    batch: whole,
    threads: whole,
  }),
  'load-failed': record({ message: text }),
  started: record({ id: whole, promptTokens: whole, reusedTokens: whole, droppedTokens: whole }),
  text: record({ pieces: listOf(record({ id: whole, text, logprobs: optional(logprobs) })) }),
  done: record({
    id: whole,
    reason: oneOf('stop', 'length'),
    promptTokens: whole,
    promptNanoseconds: whole,
    generatedTokens: whole,
    generateNanoseconds: whole,
    context: optional(wholes),
  }),
  failed: record({ id: whole, code: oneOf('bad_request', 'request_failed'), message: text }),
  counted: record({ id: whole, tokens: whole }),
  tokenized: record({ id: whole, tokens: wholes }),
  detokenized: record({ id: whole, text }),
  embedded: record({ id: whole, vectors: listOf(record({ index: whole, tokens: whole, vector: floats })) }),
  counters: record({
    counters: record({
      promptTokensEvaluated: whole,
      promptTokensReused: whole,
      tokensGenerated: whole,
      promptPasses: whole,
      generatePasses: whole,
      contextShifts: whole,
      prefixesKept: whole,
      prefixesEvicted: whole,
      imagesEncoded: whole,
      imagesRecalled: whole,
      textsEmbedded: whole,
      embedTokensEvaluated: whole,
      embedPasses: whole,
    }),
  }),
};

export function isRunnerEvent(value: unknown): value is RunnerEvent {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const { type } = value;
  return typeof type === 'string' && Object.hasOwn(shapes, type) && shapes[type as RunnerEvent['type']](value);
}
