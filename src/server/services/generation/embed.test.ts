import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineScript } from '../../../../test/support/fake-engine.ts';
import { createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { HearthError } from '../../../base/errors.ts';
import { RequestReport } from '../../../base/request/request-report.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { createEmbed, type EmbedInput, normalize, truncateDimensions } from './embed.ts';

const fixture = createServiceFixture();
const never = new AbortController().signal;
beforeAll(() => fixture.putModel('plain'));
afterAll(() => fixture.remove());

/** The vector of a text has its length as its only value. */
const embedLength: EngineScript = {
  embed: ({ texts }) => ({
    vectors: texts.map(({ length }) => Float32Array.of(length)),
    tokens: texts.map(({ length }) => length + 2),
  }),
};

function start(script: EngineScript, input: Partial<EmbedInput>) {
  const services = fixture.createServices(script);
  const defaults = {
    model: parseRequestedModel('plain'),
    texts: [],
    truncate: true,
    options: parseOptions({}),
    report: new RequestReport(),
  };
  return { ...services, result: createEmbed(services)({ ...defaults, ...input }, never) };
}

describe('embeddings', () => {
  test('come in the order of the texts, with the sum of their tokens', async () => {
    const { result, engine } = start(embedLength, { texts: ['abc', 'a', [1, 2]], truncate: false });
    expect(await result).toMatchObject({
      vectors: [Float32Array.of(3), Float32Array.of(1), Float32Array.of(2)],
      promptTokens: 12,
    });
    expect(engine.embedded).toEqual([{ texts: ['abc', 'a', [1, 2]], truncate: false }]);
    expect(engine.openLeases()).toBe(0);
  });

  test('of no texts only load the model', async () => {
    const { result, engine } = start(embedLength, { keepAlive: 1000 });
    expect(await result).toMatchObject({ vectors: [], promptTokens: 0 });
    expect(engine.acquired).toMatchObject([{ keepAlive: 1000 }]);
    expect(engine.embedded).toEqual([]);
  });

  test('options change the loaded model', async () => {
    const { result, engine } = start(embedLength, { texts: ['a'], options: parseOptions({ num_ctx: 128 }) });
    await result;
    expect(engine.acquired[0]?.options.numCtx).toBe(128);
  });
});

describe('errors', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d in a vector', async (value) => {
    const embed = () => ({ vectors: [Float32Array.of(0, value)], tokens: [1] });
    const { result, engine } = start({ embed }, { texts: ['a'] });
    await expect(result).rejects.toMatchObject({
      code: 'request_failed',
      message: 'embedding contains NaN or Inf values',
    });
    expect(engine.openLeases()).toBe(0);
  });

  test('of the engine keep their code', async () => {
    const error = new HearthError('bad_request', 'the input length exceeds the context length');
    const embed = () => {
      throw error;
    };
    const { result, engine } = start({ embed }, { texts: ['long'], truncate: false });
    await expect(result).rejects.toBe(error);
    expect(engine.openLeases()).toBe(0);
  });

  test('an unknown model', async () => {
    const { result } = start({}, { model: parseRequestedModel('nosuch:x') });
    await expect(result).rejects.toThrow('model "nosuch:x" not found, try pulling it first');
  });
});

describe('dimensions', () => {
  const vector = Float32Array.of(3, 4, 12);

  test('a normalized vector has the length 1', () => {
    expect([...normalize(vector)]).toEqual([3 / 13, 4 / 13, 12 / 13].map(Math.fround));
    expect(normalize(Float32Array.of(0, 0))).toEqual(Float32Array.of(0, 0));
  });

  test('a shorter vector is normalized again', () => {
    expect([...truncateDimensions(vector, 2)]).toEqual([0.6, 0.8].map(Math.fround));
  });

  test.each([undefined, 0, -1, 3, 4])('%s keeps all', (dimensions) => {
    expect(truncateDimensions(vector, dimensions)).toBe(vector);
  });
});
