import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventLimits, isRunnerEvent } from './check-event.ts';
import { allZeroCounters } from './counters.ts';
import type { RunnerEvent } from './messages.ts';

const done = {
  type: 'done',
  id: 1,
  reason: 'stop',
  promptTokens: 3,
  promptNanoseconds: 5,
  generatedTokens: 7,
  generateNanoseconds: 9,
} as const;
const text = { type: 'text', pieces: [{ id: 1, text: 'a' }] } as const;
const embedded = (vector: unknown) => ({ type: 'embedded', id: 1, vectors: [{ index: 0, tokens: 2, vector }] });

const memory = { type: 'memory', totalBytes: 2, deviceBytes: 1 } as const;
const events: { readonly [Type in RunnerEvent['type']]: Extract<RunnerEvent, { type: Type }> } = {
  hello: { type: 'hello', protocol: 1 },
  opened: { type: 'opened' },
  warming: { type: 'warming', devices: [{ name: 'CUDA0', description: 'a GPU', freeBytes: 1, totalBytes: 2 }] },
  loaded: { type: 'loaded', engine: 'e', contextLength: 1, trainedContext: 1, parallel: 1, batch: 1, threads: 1 },
  'load-failed': { type: 'load-failed', message: 'm' },
  memory,
  started: { type: 'started', id: 1, promptTokens: 3, cachedTokens: 2, droppedTokens: 0 },
  prompt: { type: 'prompt', id: 1, tokens: [{ token: 7, bytes: [97], top: [] }] },
  progress: { type: 'progress', id: 1, evaluated: 2 },
  text,
  done,
  failed: { type: 'failed', id: 1, code: 'bad_request', message: 'm' },
  counted: { type: 'counted', id: 1, tokens: 3 },
  tokenized: { type: 'tokenized', id: 1, tokens: [1, 2] },
  detokenized: { type: 'detokenized', id: 1, text: 'a' },
  embedded: { type: 'embedded', id: 1, vectors: [{ index: 0, tokens: 2, vector: 'AACAPw==' }] },
  counters: { type: 'counters', counters: allZeroCounters() },
  prefixes: { type: 'prefixes', bytes: 5 },
  blocks: { type: 'blocks', blockSize: 2, stored: [{ hashes: [7], tokens: [1, 2] }], removed: [5] },
  stored: { type: 'stored' },
  pong: { type: 'pong' },
};

describe.each(Object.entries(events))('%s', (_, event) => {
  test('passes', () => {
    expect(isRunnerEvent(event)).toBe(true);
  });

  test.each(Object.keys(event))('does not pass without %s, or with null there', (field) => {
    const { [field as 'type']: __, ...rest } = event;
    expect(isRunnerEvent(rest)).toBe(false);
    expect(isRunnerEvent({ ...event, [field]: null })).toBe(false);
  });

  test('does not pass with an unknown field', () => {
    expect(isRunnerEvent({ ...event, extra: 1 })).toBe(false);
    expect(isRunnerEvent(JSON.parse(`{"__proto__":1,${JSON.stringify(event).slice(1)}`))).toBe(false);
  });
});

test.each([
  { ...done, context: [1, 2, 3], stopSequence: '###', thinkingTokens: 4 },
  { ...text, pieces: [{ id: 1, text: '', logprobs: [{ bytes: [0, 255], logprob: -1, top: [] }] }] },
  { ...text, pieces: [{ id: 1, text: 'a', generatedTokens: 3 }] },
  { ...text, pieces: [{ id: 1, text: 'a', tokenIds: [3, 4] }] },
  embedded('AACAPwAAAEAAAEBA'),
  {
    type: 'prompt',
    id: 1,
    tokens: [{ token: 7, bytes: [97], logprob: -1, rank: 2, top: [{ token: 8, bytes: [], logprob: -0.5 }] }],
  },
  { ...memory, devices: [{ name: 'CUDA0', bytes: 1, isUnified: false }] },
])('%j passes', (value) => {
  expect(isRunnerEvent(value)).toBe(true);
});

test.each([
  { ...memory, devices: [{ name: 'CUDA0', bytes: -1, isUnified: false }] },
  { ...memory, devices: [{ name: 'CUDA0', bytes: 1, isUnified: 'no' }] },
  { ...memory, devices: new Array(257).fill({ name: 'CUDA0', bytes: 1, isUnified: false }) },
  { ...done, reason: 'boredom' },
  { ...done, id: -1 },
  { ...done, promptTokens: 1.5 },
  { ...done, context: ['a'] },
  { ...done, stopSequence: 1 },
  { ...done, thinkingTokens: -1 },
  { ...text, pieces: [{ id: 1 }] },
  { ...text, pieces: [{ id: 1, text: 'a', extra: 1 }] },
  { ...text, pieces: [{ id: 1, text: 'a', logprobs: [{ bytes: [256], logprob: -1, top: [] }] }] },
  { ...text, pieces: [{ id: 1, text: 'a', logprobs: [{ bytes: [1], logprob: null, top: [] }] }] },
  { ...text, pieces: [{ id: 1, text: 'a', generatedTokens: -1 }] },
  { ...text, pieces: [{ id: 1, text: 'a', tokenIds: [-1] }] },
  { ...text, pieces: { length: 0 } },
  embedded(''),
  embedded('AACAP'),
  embedded('AAAA'),
  embedded('===='),
  embedded('AACA\nPw=='),
  embedded('AAC\u0241Pw=='),
  embedded([1, 2]),
  { type: 'embedded', id: 1, vectors: [{ index: -1, tokens: 2, vector: 'AACAPw==' }] },
  { type: 'counters', counters: { ...allZeroCounters(), tokensGenerated: '1' } },
  { type: 'prefixes', bytes: -1 },
  { type: 'blocks', blockSize: 2, stored: [{ hashes: [7], tokens: [-1, 2] }], removed: [] },
  { type: 'blocks', blockSize: 2, stored: [{ hashes: ['7'], tokens: [1, 2] }], removed: [] },
  { type: 'blocks', blockSize: 2, stored: [], removed: [0.5] },
  { type: 'toString' },
  { type: '__proto__' },
  { type: 5 },
  [],
  null,
  'done',
])('%j does not pass', (value) => {
  expect(isRunnerEvent(value)).toBe(false);
});

test('every string and list has a limit', () => {
  const { message, name, pieces, vector, devices } = eventLimits;
  expect(isRunnerEvent({ ...events['load-failed'], message: 'x'.repeat(message) })).toBe(true);
  expect(isRunnerEvent({ ...events['load-failed'], message: 'x'.repeat(message + 1) })).toBe(false);
  expect(isRunnerEvent({ ...events.loaded, engine: 'x'.repeat(name + 1) })).toBe(false);
  expect(isRunnerEvent({ ...text, pieces: new Array(pieces + 1).fill(text.pieces[0]) })).toBe(false);
  expect(isRunnerEvent(embedded('A'.repeat(vector + 4)))).toBe(false);
  const [device] = events.warming.devices;
  expect(isRunnerEvent({ type: 'warming', devices: new Array(devices + 1).fill(device) })).toBe(false);
});

test('a vector of the maximum length is checked without a deep stack', () => {
  expect(isRunnerEvent(embedded('A'.repeat(eventLimits.vector)))).toBe(true);
  expect(isRunnerEvent(embedded(`${'A'.repeat(eventLimits.vector - 1)}!`))).toBe(false);
});

test('inherited fields do not count', () => {
  expect(isRunnerEvent(Object.create(events.counted))).toBe(false);
});

test('no value makes the check throw', () => {
  const type = fc.constantFrom(...Object.keys(events));
  const value = fc.oneof(fc.anything(), fc.record({ type, id: fc.anything(), pieces: fc.anything() }));
  fc.assert(
    fc.property(value, (given) => {
      expect(typeof isRunnerEvent(given)).toBe('boolean');
    }),
  );
});
