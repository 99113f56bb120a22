// Decides whether a value from a runner is a valid event. A runner executes native code on untrusted files, so its
// events are untrusted too: every field is checked, unknown fields are rejected, strings and arrays have limits. The
// checks take linear time and recurse no deeper than the shapes below.
//
// The shapes are typed by the events: a field without a check does not compile.

import { allZeroCounters, type Counters } from './counters.ts';
import { maxEvent } from './frames.ts';
import type {
  DeviceUse,
  PromptCandidate,
  PromptToken,
  RunnerEvent,
  StoredBlocks,
  TextPiece,
  TokenLogprob,
  TokenProbability,
} from './messages.ts';

export const eventLimits = {
  /** Characters of a name of an engine or a device. */
  name: 1024,
  /** Characters of an error message. */
  message: 64 * 1024,
  /** Characters of generated text. A frame cannot hold more. */
  text: maxEvent,
  /** Characters of a vector in base64. */
  vector: 8 * 2 ** 20,
  tokens: 16 * 2 ** 20,
  /** Bytes of one token. */
  tokenBytes: 64 * 1024,
  devices: 256,
  /** Requests with text, or with vectors, in one event. */
  pieces: 4096,
  /** Blocks of the prefix cache in one event. */
  blocks: 4096,
} as const;

/** `checked` exists only as a type: it prevents using a check of one type for another. */
type Check<Value> = ((value: unknown) => boolean) & { readonly checked?: Value };
interface Optional<Value> {
  readonly optional: Check<Value>;
}
type Shape<Value> = {
  readonly [Key in keyof Value]-?: object extends Pick<Value, Key>
    ? Optional<Exclude<Value[Key], undefined>>
    : Check<Value[Key]>;
};

const count: Check<number> = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const byte: Check<number> = (value) => count(value) && (value as number) <= 0xff;
const finite: Check<number> = (value) => Number.isFinite(value);
const boolean: Check<boolean> = (value) => typeof value === 'boolean';

const string =
  (maxLength: number): Check<string> =>
  (value) =>
    typeof value === 'string' && value.length <= maxLength;

const oneOf =
  <const Value extends string>(...values: readonly Value[]): Check<Value> =>
  (value) =>
    (values as readonly unknown[]).includes(value);

const listOf =
  <Item>(check: Check<Item>, maxLength: number): Check<readonly Item[]> =>
  (value) =>
    Array.isArray(value) && value.length <= maxLength && value.every(check);

const record =
  <Value extends object>(shape: Shape<Value>): Check<Value> =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const known = Object.keys(value).every((field) => Object.hasOwn(shape, field));
    const fields = Object.entries<Check<unknown> | Optional<unknown>>(shape);
    return known && fields.every(([field, check]) => passes(check, ownField(value, field)));
  };

function passes(check: Check<unknown> | Optional<unknown>, value: unknown): boolean {
  return typeof check === 'function' ? check(value) : value === undefined || check.optional(value);
}

function ownField(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

// A loop, not a regular expression, whose stack could grow with the text.
const base64Floats: Check<string> = (value) => {
  if (!vectorText(value)) return false;
  const text = value as string;
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  for (let index = 0; index < text.length - padding; index++) {
    if (base64Alphabet[text.charCodeAt(index)] !== 1) return false;
  }
  return ((text.length / 4) * 3 - padding) % Float32Array.BYTES_PER_ELEMENT === 0;
};
const vectorText = string(eventLimits.vector);
const base64Alphabet = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  base64Alphabet[character.charCodeAt(0)] = 1;

const id = count;
const name = string(eventLimits.name);
const text = string(eventLimits.text);
const message = string(eventLimits.message);
const tokens = listOf(count, eventLimits.tokens);

const probability: Shape<TokenProbability> = { bytes: listOf(byte, eventLimits.tokenBytes), logprob: finite };
const logprobs = listOf(
  record<TokenLogprob>({ ...probability, top: listOf(record<TokenProbability>(probability), eventLimits.tokens) }),
  eventLimits.tokens,
);
const promptTokens = listOf(
  record<PromptToken>({
    token: count,
    bytes: probability.bytes,
    logprob: { optional: finite },
    rank: { optional: count },
    top: listOf(record<PromptCandidate>({ ...probability, token: count }), eventLimits.tokens),
    divergence: { optional: finite },
    sameTop: { optional: boolean },
  }),
  eventLimits.tokens,
);
const counterShape = Object.fromEntries(Object.keys(allZeroCounters()).map((key) => [key, count]));

type Fields<Type extends RunnerEvent['type']> = Omit<Extract<RunnerEvent, { type: Type }>, 'type'>;

const shapes: { readonly [Type in RunnerEvent['type']]: Shape<Fields<Type>> } = {
  hello: { protocol: count },
  opened: {},
  warming: {
    devices: listOf(record({ name, description: name, freeBytes: count, totalBytes: count }), eventLimits.devices),
  },
  loaded: {
    engine: name,
    contextLength: count,
    trainedContext: count,
    parallel: count,
    batch: count,
    threads: count,
    gpus: { optional: count },
  },
  'load-failed': { message },
  memory: {
    totalBytes: count,
    deviceBytes: count,
    devices: { optional: listOf(record<DeviceUse>({ name, bytes: count, isUnified: boolean }), eventLimits.devices) },
  },
  started: {
    id,
    promptTokens: count,
    cachedTokens: count,
    diskTokens: { optional: count },
    droppedTokens: count,
    promptIds: { optional: tokens },
    ignored: { optional: listOf(name, eventLimits.pieces) },
  },
  prompt: { id, tokens: promptTokens, distributions: { optional: string(maxEvent) } },
  progress: { id, evaluated: count },
  text: {
    pieces: listOf(
      record<TextPiece>({
        id,
        text,
        tokenIds: { optional: tokens },
        logprobs: { optional: logprobs },
        generatedTokens: { optional: count },
      }),
      eventLimits.pieces,
    ),
  },
  done: {
    id,
    reason: oneOf('stop', 'length'),
    stopSequence: { optional: text },
    promptTokens: count,
    promptNanoseconds: count,
    generatedTokens: count,
    thinkingTokens: { optional: count },
    generateNanoseconds: count,
    draftedTokens: { optional: count },
    modelDraftedTokens: { optional: count },
    modelAcceptedTokens: { optional: count },
    acceptedTokens: { optional: count },
    predictedTokens: { optional: count },
    predictedAcceptedTokens: { optional: count },
    logprobs: { optional: logprobs },
    context: { optional: tokens },
    tokenIds: { optional: tokens },
  },
  failed: { id, code: oneOf('bad_request', 'prompt_too_long', 'request_failed'), message },
  counted: { id, tokens: count },
  tokenized: { id, tokens },
  detokenized: { id, text, pieces: { optional: listOf(listOf(byte, eventLimits.tokenBytes), eventLimits.tokens) } },
  embedded: {
    id,
    vectors: listOf(record({ index: count, tokens: count, vector: base64Floats }), eventLimits.pieces),
  },
  counters: { counters: record<Counters>(counterShape as Shape<Counters>) },
  prefixes: { bytes: count },
  blocks: {
    blockSize: count,
    stored: listOf(
      record<StoredBlocks>({
        hashes: listOf(count, eventLimits.blocks),
        parent: { optional: count },
        tokens: listOf(count, eventLimits.tokens),
      }),
      eventLimits.blocks,
    ),
    removed: listOf(count, eventLimits.blocks),
  },
  stored: {},
  pong: {},
};

const checks: ReadonlyMap<unknown, Check<object>> = new Map(
  Object.entries(shapes).map(([type, shape]) => [type, record<object>({ type: oneOf(type), ...shape })]),
);

export function isRunnerEvent(value: unknown): value is RunnerEvent {
  if (typeof value !== 'object' || value === null) return false;
  return checks.get(ownField(value, 'type'))?.(value) ?? false;
}
