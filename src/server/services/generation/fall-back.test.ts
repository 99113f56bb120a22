import { expect, test } from 'vitest';
import { type ErrorCode, HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { type Reported, RequestReport } from '../../../base/request/request-report.ts';
import { parseRequestedModel, type RequestedModel } from '../../../models/name.ts';
import { ModelAliases } from '../models/model-aliases.ts';
import { FallBack } from './fall-back.ts';

type Input = Reported<{ readonly model: RequestedModel }>;

const aliases = new ModelAliases(new Map([['fast', [{ model: 'a' }, { model: 'b' }, { model: 'c' }]]]));
const fallBack = new FallBack(aliases, silentLogger);
const { signal } = new AbortController();

/** Models fail with these codes; others answer with their name. */
function setUp(failures: Readonly<Record<string, ErrorCode>>) {
  const chosen: string[] = [];
  const asked: string[] = [];
  const check = (text: string): void => {
    asked.push(text);
    const code = failures[text];
    if (code !== undefined) throw new HearthError(code, `${text} fails`);
  };
  const report = new RequestReport({ onChosen: (model) => chosen.push(model) });
  const input = (name: string): Input => ({ model: parseRequestedModel(name), report });
  const call = fallBack.ofCall(async ({ model: { text } }: Input) => {
    check(text);
    return text;
  });
  const stream = fallBack.ofStream(async function* ({ model: { text } }: Input) {
    check(text);
    yield text;
    if (failures['later'] !== undefined) throw new HearthError(failures['later'], 'later');
    yield 'end';
  });
  return { call, stream, input, report, chosen, asked };
}

async function collect(items: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('a name that is no alias is asked once', async () => {
  const { call, stream, input, report, asked } = setUp({ a: 'busy' });
  await expect(call(input('a'), signal)).rejects.toMatchObject({ code: 'busy' });
  await expect(collect(stream(input('a'), signal))).rejects.toMatchObject({ code: 'busy' });
  expect([asked, report.alias]).toEqual([['a', 'a'], undefined]);
});

test.each(['busy', 'load_failed', 'remote_failed', 'remote_timeout', 'model_not_found'] as const)(
  'after %s, the next model answers, and the request knows which one',
  async (code) => {
    const { call, stream, input, report, chosen } = setUp({ a: code, b: code });
    expect(await call(input('fast'), signal)).toBe('c');
    expect(await collect(stream(input('fast'), signal))).toEqual(['c', 'end']);
    expect(report.alias).toBe('fast');
    expect(chosen.at(-1)).toBe('c:latest');
  },
);

test.each(['bad_request', 'cancelled', 'rate_limited', 'prompt_too_long', 'unsupported'] as const)(
  '%s is the fault of the request, and no other model is asked',
  async (code) => {
    const { call, stream, input, asked } = setUp({ a: code });
    await expect(call(input('fast'), signal)).rejects.toMatchObject({ code });
    await expect(collect(stream(input('fast'), signal))).rejects.toMatchObject({ code });
    expect(asked).toEqual(['a', 'a']);
  },
);

test('if all fail, the caller learns that one is busy, otherwise why the first one failed', async () => {
  const mixed = setUp({ a: 'remote_failed', b: 'busy', c: 'load_failed' });
  await expect(mixed.call(mixed.input('fast'), signal)).rejects.toMatchObject({ code: 'busy' });
  const down = setUp({ a: 'remote_failed', b: 'load_failed', c: 'load_failed' });
  await expect(down.call(down.input('fast'), signal)).rejects.toThrow('a fails');
});

test('an answer that has begun is not repeated', async () => {
  const { stream, input, asked } = setUp({ later: 'remote_failed' });
  await expect(collect(stream(input('fast'), signal))).rejects.toThrow('later');
  expect(asked).toEqual(['a']);
});
