import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { RequestReport } from '../../../base/request/request-report.ts';
import type { PromptLogprobsInput } from '../../../inference/protocol/messages.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { createCompare } from './compare.ts';

const { signal } = new AbortController();
const rowLength = 2 ** 22;
const tokens = Array.from({ length: 1030 }, (_, index) => index);

interface Asked extends PromptLogprobsInput {
  readonly model: string;
  readonly length: number;
}

/** `base` reports rows that begin with the number of their token. */
function createServices({ otherTokens = tokens, bytes = rowLength } = {}) {
  const asked: Asked[] = [];
  const services = {
    tokenize: async ({ model, text }: { model: { text: string }; text: string }) =>
      text === '' ? [] : model.text === 'base' ? tokens : otherTokens,
    async *generate(input: { model: { text: string }; promptTokens: number[]; promptLogprobs: PromptLogprobsInput }) {
      const { from, wantDistributions } = input.promptLogprobs;
      asked.push({ model: input.model.text, length: input.promptTokens.length, ...input.promptLogprobs });
      for (const token of input.promptTokens.slice(from)) {
        const row = Buffer.alloc(wantDistributions ? bytes : 0);
        if (wantDistributions) row.writeUInt32LE(token, 0);
        const described = { token, bytes: [], top: [], logprob: -1, divergence: 0.5, sameTop: true };
        yield { type: 'prompt-tokens', tokens: [described], distributions: row.toString('base64') };
      }
    },
  };
  return { asked, compare: createCompare(services as unknown as Parameters<typeof createCompare>[0]) };
}

const input = {
  ...{ model: parseRequestedModel('other'), against: parseRequestedModel('base'), text: 'text' },
  ...{ options: { values: {}, unknown: [] }, keepAlive: undefined, client: 'a', report: new RequestReport() },
};

const leftOver = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`hearth-compare-${process.pid}-`));

test('every part of a chunk is compared with the distributions of the base for the same tokens', async () => {
  const { asked, compare } = createServices({ bytes: 2 ** 18 });
  const events = [];
  for await (const event of compare(input, signal)) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'done', comparison: { chunks: 2, tokens: 510 } });
  expect(events.slice(0, -1).map((event) => event.type === 'progress' && event.completed)).toEqual([1, 2, 3, 4]);
  const compared = asked.filter(({ model }) => model === 'other');
  // 255 rows of a quarter of a mebibyte, 16 at a time.
  expect(compared).toHaveLength(32);
  for (const [index, { from, length, baseline = '' }] of compared.entries()) {
    const rows = Buffer.from(baseline, 'base64');
    expect(rows).toHaveLength((length - from) * 2 ** 18);
    expect(rows.readUInt32LE(0)).toBe(from + (index < 16 ? 0 : 512));
  }
  expect(await leftOver()).toEqual([]);
});

test('a client has one comparison at a time, and the server has four', async () => {
  const { compare } = createServices({ bytes: 2 ** 10 });
  const compareAs = async (client: string) => {
    const events = compare({ ...input, client }, signal);
    await events.next();
    return events;
  };
  const running = [await compareAs('a')];
  await expect(compareAs('a')).rejects.toThrow('another comparison of this client is running');
  for (const client of ['b', 'c', 'd']) running.push(await compareAs(client));
  await expect(compareAs('e')).rejects.toThrow('too many comparisons are running');
  await running.shift()?.return(undefined);
  running.push(await compareAs('a'));
  for (const events of running) await events.return(undefined);
});

test('models with different vocabularies are refused', async () => {
  const { compare } = createServices({ otherTokens: tokens.toReversed() });
  await expect(compare(input, signal).next()).rejects.toThrow('different vocabularies');
});

test('a base that reports too much is refused, and no file stays', async () => {
  const { compare } = createServices({ bytes: 2 ** 22 + 2 });
  await expect(compare(input, signal).next()).rejects.toThrow('an unexpected length');
  expect(await leftOver()).toEqual([]);
});
