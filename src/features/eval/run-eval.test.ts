import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ClientError } from '../../client/client-error.ts';
import { type AskedModel, askItem, type ItemResult } from './ask-item.ts';
import { formatComparison } from './compare-on-text.ts';
import { EvalState } from './eval-state.ts';
import { formatBoth, formatOutcome } from './format-outcome.ts';
import type { EvalItem } from './item.ts';
import { chooseItems } from './run-eval.ts';
import { wilsonInterval } from './sum-up.ts';

const { signal } = new AbortController();
const item = (category: string, prompt = 'p'): EvalItem => ({ category, prompt, check: { exact: 'yes' } });
const result = (correct: boolean): ItemResult => ({ correct, answer: 'yes', tokens: 50, nanoseconds: 1e9 });

it("computes Wilson's interval", () => {
  const { low, high } = wilsonInterval(8, 10);
  expect([low, high].map((value) => value.toFixed(4))).toEqual(['0.4902', '0.9433']);
  expect(wilsonInterval(0, 10)).toEqual({ low: 0, high: expect.closeTo(0.2775, 4) });
  expect(wilsonInterval(10, 10).high).toBeCloseTo(1, 12);
});

it('spreads a limited number of items over all', () => {
  const items = ['a', 'b', 'c'].flatMap((category) => Array<EvalItem>(50).fill(item(category)));
  expect(chooseItems(items, 6).map(({ category }) => category)).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  expect(chooseItems(items, 1000)).toEqual(items);
});

it('prints each category and all', () => {
  const items = [item('a'), item('a'), item('b\u001b[2J')];
  expect(
    formatOutcome({ model: 'm', digest: '', items, results: [result(true), result(false), result(true)] }),
  ).toMatchInlineSnapshot(`
    "CATEGORY    CORRECT    ACCURACY    95% INTERVAL      TIME    TOKENS/S
    a           1/2        50.0%       9.5% - 90.5%      2s      50
    b[2J        1/1        100.0%      20.7% - 100.0%    1s      50
    all         2/3        66.7%       20.8% - 93.9%     3s      50
    "
  `);
});

it('prints two models side by side, and how they differ on a text', () => {
  const items = [item('a'), item('b')];
  const outcome = (model: string, ...results: ItemResult[]) => ({ model, digest: '', items, results });
  const first = outcome('q4', result(true), result(false));
  expect(formatBoth(first, outcome('f16', result(true), result(true)))).toMatchInlineSnapshot(`
    "CATEGORY    q4        f16       DIFFERENCE
    a           100.0%    100.0%    0.0%
    b           0.0%      100.0%    -100.0%
    all         50.0%     100.0%    -50.0%
    "
  `);
  expect(
    formatComparison({
      status: 'success',
      model: 'q4',
      against: 'f16',
      chunks: 8,
      tokens: 2040,
      perplexity: 12.34567,
      perplexity_error: 0.5,
      against_perplexity: 12.1,
      against_perplexity_error: 0.4,
      kl_divergence: 0.0660818,
      kl_divergence_error: 0.001,
      same_top: 0.825,
      same_top_error: 0.008,
    }),
  ).toMatchInlineSnapshot(`
    "ON 2040 TOKENS       VALUE
    perplexity of q4     12.3457 +- 0.5000
    perplexity of f16    12.1000 +- 0.4000
    KL divergence        0.066082 +- 0.001000
    same top token       82.50 +- 0.80%
    "
  `);
});

it('keeps results under the digest of the model and the items until they are removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-eval-'));
  try {
    const subject = { model: 'm', digest: 'd', items: [item('a')] };
    const state = new EvalState(folder, subject);
    expect(await state.load()).toEqual(new Map());
    await state.add(0, result(true));
    await state.add(3, result(false));
    const [file = ''] = await readdir(folder);
    await writeFile(join(folder, file), '[4,{"correct":1}]\nnull\n[5,{"corr', { flag: 'a' });
    const kept = new Map([
      [0, result(true)],
      [3, result(false)],
    ]);
    expect(await new EvalState(folder, subject).load()).toEqual(kept);
    expect(await new EvalState(folder, { ...subject, digest: 'other' }).load()).toEqual(new Map());
    expect(await new EvalState(folder, { ...subject, items: [item('a', 'q')] }).load()).toEqual(new Map());
    await state.remove();
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const score = (log_likelihood: number) => ({ log_likelihood, length: 1, greedy: false });

it('takes the likeliest choice, and none of several equal ones', async () => {
  const choice: EvalItem = { category: 'c', prompt: 'One', choices: ['a', 'b'], answer: 1 };
  const ask = (...likelihoods: number[]) => {
    const client = {
      score: async ({ context, continuations }: { context?: unknown; continuations?: unknown }) => {
        expect([context, continuations]).toEqual(['One', [' a', ' b']]);
        const counts = { prompt_eval_count: 9, prompt_eval_cached_count: 4, total_duration: 9, load_duration: 2 };
        return { model: 'm', scores: likelihoods.map(score), ...counts };
      },
    };
    return askItem({ client, model: 'm', thinks: false } as unknown as AskedModel, choice, signal);
  };
  expect(await ask(-3, -2)).toEqual({ correct: true, answer: 'b', tokens: 5, nanoseconds: 7 });
  expect(await ask(-2, -3)).toMatchObject({ correct: false, answer: 'a' });
  expect(await ask(-2, -2)).toMatchObject({ correct: false });
});

it('counts a refused item as wrong, and ends with other errors', async () => {
  const ask = (error: Error) => {
    const client = {
      // biome-ignore lint/correctness/useYield: it fails first
      async *chat() {
        throw error;
      },
    };
    return askItem({ client, model: 'm', thinks: false } as unknown as AskedModel, item('a'), signal);
  };
  const refused = new ClientError('refused', 'no tools', { status: 400, code: 'unsupported' });
  expect(await ask(refused)).toEqual({ correct: false, answer: 'no tools', tokens: 0, nanoseconds: 0 });
  const choice: EvalItem = { category: 'c', prompt: 'One', choices: ['a', 'b'], answer: 1 };
  const remote = { client: { score: async () => Promise.reject(refused) }, model: 'm', thinks: false };
  await expect(askItem(remote as unknown as AskedModel, choice, signal)).rejects.toBe(refused);
  const failed = new ClientError('refused', 'it died', { status: 500, code: 'runner_died' });
  await expect(ask(failed)).rejects.toBe(failed);
});
