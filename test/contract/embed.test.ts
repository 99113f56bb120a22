// POST /api/embed and POST /api/embeddings: each test name states a rule of the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

interface Embedded {
  readonly model: string;
  readonly embeddings: readonly (readonly number[])[];
  readonly total_duration?: number;
  readonly load_duration?: number;
  readonly prompt_eval_count?: number;
}

const embed = (body: Body) => post<Embedded>(server.url, '/api/embed', { model: 'ember', ...body });
const embedded = async (body: Body): Promise<Embedded> => (await embed(body)).objects[0] as Embedded;
const lengthOf = (vector: readonly number[] = []): number => Math.hypot(...vector);
const likeness = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe('/api/embed', () => {
  test('one unit vector per input, in order, with the counts', async () => {
    const texts = ['Why is the sky blue?', 'Hello', 'A much longer text about a fox and a river.'];
    const all = await embedded({ input: texts });
    expect(all.model).toBe('ember');
    expect(all.embeddings.map((vector) => vector.length)).toEqual([512, 512, 512]);
    for (const vector of all.embeddings) expect(lengthOf(vector)).toBeCloseTo(1, 5);
    for (const [index, text] of texts.entries()) {
      const alone = await embedded({ input: text });
      expect(likeness(alone.embeddings[0], all.embeddings[index])).toBeCloseTo(1, 3);
      expect(alone.prompt_eval_count).toBeGreaterThan(0);
    }
    expect(all.total_duration).toBeGreaterThan(0);
    expect(all.load_duration).toBeGreaterThan(0);
  });

  test('no input loads the model and returns the counts', async () => {
    for (const input of [undefined, '', [], null]) {
      expect(await embedded({ input })).toMatchObject({ model: 'ember', embeddings: [], prompt_eval_count: 0 });
    }
  });

  test('`dimensions`: truncated and normalized', async () => {
    const { embeddings } = await embedded({ input: 'Hello', dimensions: 8 });
    expect(embeddings[0]).toHaveLength(8);
    expect(lengthOf(embeddings[0])).toBeCloseTo(1, 5);
  });

  test('`truncate`: a text that is too long is truncated, or a 400', async () => {
    const input = 'word '.repeat(500);
    const { prompt_eval_count } = await embedded({ input, options: { num_ctx: 64 } });
    expect(prompt_eval_count).toBeLessThanOrEqual(64);
    const { status, objects } = await embed({ input, truncate: false, options: { num_ctx: 64 } });
    expect([status, objects[0]?.error]).toEqual([400, 'the input length exceeds the context length']);
  });

  test('many texts in one request and in several', async () => {
    const texts = Array.from({ length: 60 }, (_, index) => `Number ${index} `.repeat(1 + (index % 7)));
    const replies = await Promise.all([0, 20, 40].map((from) => embedded({ input: texts.slice(from, from + 20) })));
    expect(replies.flatMap(({ embeddings }) => embeddings)).toHaveLength(60);
  });

  test.each([
    [{ input: 7 }, 400, 'invalid input type'],
    [{ input: ['a', 1] }, 400, 'invalid input type'],
    [{ model: '', input: 'a' }, 404, "model '' not found"],
    [{ model: 'nobody', input: 'a' }, 404, 'model "nobody" not found, try pulling it first'],
  ])('%j: %d', async (body, status, error) => {
    const reply = await embed(body);
    expect([reply.status, reply.objects[0]?.error]).toEqual([status, error]);
  });
});

test('/api/embeddings: one vector of unit length, as /api/embed returns it; an empty prompt loads the model', async () => {
  const ask = async (prompt: string) =>
    (await post<{ embedding: number[] }>(server.url, '/api/embeddings', { model: 'ember', prompt })).objects[0];
  const vector = (await ask('Hello'))?.embedding ?? [];
  const { embeddings } = await embedded({ input: 'Hello' });
  expect(vector).toHaveLength(512);
  expect(lengthOf(vector)).toBeCloseTo(1, 3);
  expect(likeness(vector, embeddings[0])).toBeCloseTo(1, 3);
  expect(await ask('')).toEqual({ embedding: [] });
});
