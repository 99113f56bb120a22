// Embeddings through the real engine: of a decoder (Ember) and of an encoder that is computed a second time, plainly.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import type { Embeddings } from '../../src/inference/model/vectors.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { chatml } from '../support/client.ts';
import { expectSameLikeliest, likeliestAnswer } from '../support/compare-answers.ts';
import {
  acquireEmber,
  answerOf,
  countersOf,
  emberSource,
  longText,
  never,
  requestOf,
  startEngine,
} from '../support/engine.ts';
import { bertVector } from '../support/models/bert-reference.ts';
import { writeEmberF16 } from '../support/models/ember-f16.ts';
import { bertTokens, bertWords, randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { pause } from '../support/processes.ts';

let engine: Engine;
const folder = mkdtempSync(join(tmpdir(), 'hearth-embeddings-'));
const f16Path = join(folder, 'ember-f16.gguf');
beforeAll(() => {
  engine = startEngine({ numParallel: 4 });
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

const embed = (lease: Lease, texts: readonly string[], truncate = true): Promise<Embeddings> =>
  lease.embed({ texts, truncate }, never);

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || b === undefined || a.length !== b.length) throw new Error('vectors of different lengths');
  const other = unit(b);
  return unit(a).reduce((sum, value, index) => sum + value * (other[index] as number), 0);
}

const sentences = [
  'The fox sleeps under the old tree.',
  'Bread is baked early in the morning.',
  'Winter came late that year, and the river froze only in February.',
  'A king without a crown.',
  'Music!',
  'She reads the letter twice, folds it, and puts it back into the drawer where it has been lying for years.',
];

describe('a decoder', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await acquireEmber(engine);
  });

  test('gives a vector for every text, in their order, and counts tokens', async () => {
    const { vectors, tokens } = await embed(lease, sentences);
    expect(vectors.map((vector) => vector.length)).toEqual(sentences.map(() => 512));
    expect(tokens).toEqual(await Promise.all(sentences.map((text) => lease.countTokens(text))));
    for (const [index, text] of sentences.entries())
      expect(cosine((await embed(lease, [text])).vectors[0], vectors[index])).toBeGreaterThan(0.999);
    expect(cosine(vectors[0], vectors[1])).toBeLessThan(0.99);
  });

  test('takes as much memory after many texts as the longest of them needs', async () => {
    const memoryAfter = async (lengths: readonly number[]): Promise<number> => {
      const own = startEngine({ numParallel: 1 });
      try {
        const ember = await acquireEmber(own);
        for (const words of lengths) await embed(ember, ['word '.repeat(words)]);
        // The figures come by another way than the vectors, and may be later.
        await pause(300);
        return ember.model.memory.totalBytes;
      } finally {
        await own.close(0);
      }
    };
    expect(await memoryAfter([5, 300, 600, 5])).toBe(await memoryAfter([600]));
  });

  // From 64 rows on, flash attention takes another way and rounds otherwise, and so does the multiplication with weights of
  // four bits, which shows in the fourth digit of the cosine. Without both, company does not matter.
  test.each([
    ['auto', emberSource.weightsPath, 0.999],
    [false, f16Path, 0.99999],
  ] as const)(
    'does not let the neighbours of a text into its vector (flash attention: %s)',
    async (flashAttention, weightsPath, least) => {
      const own = startEngine({ numParallel: 1, flashAttention });
      try {
        if (weightsPath === f16Path) writeEmberF16(f16Path);
        const source = { ...emberSource, key: weightsPath, weightsPath };
        const lease = await own.acquire({ name: 'ember', source, options: resolveOptions({}).load }, never);
        const alone: Float32Array[] = [];
        for (const text of sentences) alone.push(...(await embed(lease, [text])).vectors);
        const crowd = Array.from({ length: 30 }, (_, index) => longText(3 + ((index * 7) % 60), index));
        const { vectors } = await embed(
          lease,
          crowd.flatMap((text, index) => [text, sentences[index] ?? text]),
        );
        alone.forEach((vector, index) => {
          expect(cosine(vectors[2 * index + 1], vector)).toBeGreaterThan(least);
        });
      } finally {
        await own.close(0);
      }
    },
  );

  test('gives even an empty text a vector, and none for no texts', async () => {
    const { vectors, tokens } = await embed(lease, ['', 'word']);
    expect(vectors.map((vector) => vector.some((value) => value !== 0))).toEqual([true, true]);
    expect(tokens).toEqual([1, await lease.countTokens('word')]);
    expect(await embed(lease, [])).toEqual({ vectors: [], tokens: [] });
  });

  test('takes a text that is longer than a batch', async () => {
    const text = longText(1200);
    const { vectors, tokens } = await embed(lease, [text, 'short', `${text} and more`]);
    expect(tokens[0]).toBe(await lease.countTokens(text));
    expect(tokens[0]).toBeGreaterThan(1024);
    expect(cosine(vectors[0], vectors[2])).toBeLessThan(0.9999);
    expect(cosine((await embed(lease, ['short'])).vectors[0], vectors[1])).toBeGreaterThan(0.999);
  });

  test('packs texts into full passes, and those of concurrent requests together', async () => {
    const before = await countersOf(lease);
    const texts = Array.from({ length: 64 }, (_, index) => longText(4 + ((index * 13) % 50), index));
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, part) => embed(lease, texts.slice(part * 8, part * 8 + 8))),
    );
    const tokens = results.flatMap((result) => result.tokens).reduce((sum, count) => sum + count, 0);
    const after = await countersOf(lease);
    expect(after.textsEmbedded - before.textsEmbedded).toBe(64);
    expect(after.embedTokensEvaluated - before.embedTokensEvaluated).toBe(tokens);
    const passes = after.embedPasses - before.embedPasses;
    // The first may begin before all requests have come.
    expect(passes).toBeLessThanOrEqual(Math.ceil(tokens / 512) + 2);
    const { vectors } = await embed(lease, texts);
    results
      .flatMap((result) => result.vectors)
      .forEach((vector, index) => {
        expect(cosine(vector, vectors[index])).toBeGreaterThan(0.999);
      });
  });

  test('forgets a request that is given up, and goes on with the others', async () => {
    const controller = new AbortController();
    const texts = Array.from({ length: 400 }, (_, index) => longText(100, index));
    const givenUp = lease.embed({ texts, truncate: true }, controller.signal);
    const refused = expect(givenUp).rejects.toMatchObject({ code: 'cancelled' });
    const other = embed(lease, sentences);
    const before = lease.model.counters?.textsEmbedded ?? 0;
    await other;
    controller.abort();
    await refused;
    await embed(lease, ['the next one']);
    expect((await countersOf(lease)).textsEmbedded - before).toBeLessThan(400);
    await expect(lease.embed({ texts: ['x'], truncate: true }, controller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  test('generates beside it, the same text as alone', async () => {
    const story = () => likeliestAnswer(lease, chatml('Tell me a story about a fox.'), 60);
    const alone = await story();
    const texts = Array.from({ length: 12 }, (_, index) => longText(60, index));
    const [beside, { vectors }] = await Promise.all([story(), embed(lease, texts)]);
    expectSameLikeliest(beside, alone);
    const { vectors: later } = await embed(lease, texts);
    vectors.forEach((vector, index) => {
      expect(cosine(vector, later[index])).toBeGreaterThan(0.999);
    });
  });

  test('refuses what is too long, or cuts its end', async () => {
    const small = startEngine({ numParallel: 1 });
    try {
      const lease = await acquireEmber(small, { numCtx: 32 });
      const message = 'the input length exceeds the context length';
      await expect(embed(lease, ['fits', longText(100)], false)).rejects.toMatchObject({
        code: 'bad_request',
        message,
      });
      expect((await embed(lease, ['fits'], false)).tokens[0]).toBeLessThan(10);
      const { vectors, tokens } = await embed(lease, [longText(100), `${longText(100)} and more`, 'word '.repeat(1e6)]);
      expect(tokens).toEqual([32, 32, 32]);
      // Equal tokens at other places of a batch round differently. Other tokens are much further away.
      expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(0.999);
      expect(cosine(vectors[0], vectors[2])).toBeLessThan(0.99);
    } finally {
      await small.close(0);
    }
  });

  test('has nothing to compute with when it was loaded for its vocabulary', async () => {
    const words = startEngine();
    try {
      const lease = await acquireEmber(words, { vocabOnly: true });
      await expect(embed(lease, ['x'])).rejects.toMatchObject({ code: 'bad_request' });
    } finally {
      await words.close(0);
    }
  });
});

describe('an encoder', () => {
  const weights = randomBertWeights(20_261);
  const texts = [
    'the cat sits on the mat',
    'a small bird sings under the tree and then runs',
    'dog',
    '',
    'red green house , the the the .',
    Array.from({ length: 60 }, (_, index) => bertWords[(index * 5) % bertWords.length]).join(' '),
  ];

  function acquireBert(name: string, options: OptionValues = {}): Promise<Lease> {
    const source = {
      kind: 'local' as const,
      key: name,
      weightsPath: join(folder, `${name}.gguf`),
      adapterPaths: [],
      fileBytes: 0,
    };
    return engine.acquire({ name, source, options: resolveOptions(options).load }, never);
  }

  function expectReference(
    { vectors, tokens }: Embeddings,
    expected: readonly number[][],
    pooling: 'mean' | 'cls',
  ): void {
    expect(tokens).toEqual(expected.map((ids) => ids.length));
    expected.forEach((ids, index) => {
      const vector = unit(vectors[index] as Float32Array);
      const reference = unit(Float32Array.from(bertVector(weights, ids, pooling)));
      expect(Math.max(...vector.map((value, place) => Math.abs(value - (reference[place] as number))))).toBeLessThan(
        1e-3,
      );
    });
  }

  beforeAll(() => {
    for (const pooling of ['mean', 'cls'] as const) writeBert(join(folder, `${pooling}.gguf`), weights, pooling);
  });

  test.each(['mean', 'cls'] as const)(
    'pools by %s as its file says, and equals the plain computation',
    async (pooling) => {
      const lease = await acquireBert(pooling);
      expectReference(await embed(lease, texts), texts.map(bertTokens), pooling);
      lease.release();
    },
  );

  test('many at once and from several requests equal the plain computation', async () => {
    const lease = await acquireBert('mean');
    const many = Array.from({ length: 150 }, (_, index) => (texts[index % texts.length] as string).slice(0, 5 + index));
    const [first, second] = await Promise.all([embed(lease, many), embed(lease, [...many].reverse())]);
    expectReference(first, many.map(bertTokens), 'mean');
    expectReference(second, [...many].reverse().map(bertTokens), 'mean');
    lease.release();
  });

  test('cuts the end of a text and keeps the tokens around it', async () => {
    const lease = await acquireBert('mean', { numCtx: 8 });
    const text = 'the cat sits on the mat under the tree';
    const whole = bertTokens(text);
    const cut = [...whole.slice(0, 7), ...whole.slice(-1)];
    expectReference(await embed(lease, [text]), [cut], 'mean');
    await expect(embed(lease, ['dog', text], false)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'the input length exceeds the context length',
    });
    expectReference(await embed(lease, ['dog'], false), [bertTokens('dog')], 'mean');
    lease.release();
  });

  test('says so where nothing is left of a text', async () => {
    const lease = await acquireBert('mean', { numCtx: 2 });
    await expect(embed(lease, ['dog'])).rejects.toMatchObject({
      code: 'bad_request',
      message: 'input after truncation exceeds maximum context length',
    });
    lease.release();
  });

  test('does not take more than it was trained with', async () => {
    const lease = await acquireBert('mean', { numCtx: 4096 });
    expect(lease.model.info.contextLength).toBe(64);
    expect((await embed(lease, ['cat '.repeat(500)])).tokens).toEqual([64]);
    lease.release();
  });

  test('cannot generate', async () => {
    const lease = await acquireBert('cls');
    await expect(answerOf(lease.generate(requestOf('the cat'), never))).rejects.toMatchObject({
      code: 'bad_request',
      message: 'the model is an embedding model and cannot generate',
    });
    lease.release();
  });
});
