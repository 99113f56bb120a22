// Every option has an effect, with the real server and the real model.

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Body, chatml, generate, post } from '../support/client.ts';
import { addModel, endlessEmber } from '../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_DEBUG: 'true', HEARTH_NUM_PARALLEL: '2' } });
  url = server.url;
  await addModel(server.store, 'endless', endlessEmber());
});
afterAll(() => server.stop());

const story = 'Tell me a story about a fox.';
const wild = { temperature: 2, top_k: 0, top_p: 1, num_predict: 16 };

/**
 * The number of different answers to one question with several seeds. One request at a time: rounding may depend on the size of the batch.
 */
async function varieties(options: Body, seeds = 3): Promise<number> {
  const answers = new Set<string>();
  for (let seed = 0; seed < seeds; seed++) answers.add(await ask(url, story, { ...options, seed }));
  return answers.size;
}

/** Continues a raw text. */
const goOn = async (prompt: string, options: Body): Promise<string> =>
  (await generate(url, { model: 'endless', prompt, raw: true, options })).response;

describe('token selection', () => {
  // The requests of all tests reuse the KV state of this one, so that they start with exactly the same numbers.
  beforeAll(() => ask(url, story, { num_predict: 1 }));

  test('temperature: 0 is greedy, higher values are more random', async () => {
    expect(await varieties({ ...wild, temperature: 0 })).toBe(1);
    expect(await varieties(wild)).toBe(3);
  });

  test('seed: equal seeds give equal texts, -1 is random', async () => {
    expect(await ask(url, story, { ...wild, seed: 3 })).toBe(await ask(url, story, { ...wild, seed: 3 }));
    expect(await ask(url, story, { ...wild, seed: -1 })).not.toBe(await ask(url, story, { ...wild, seed: -1 }));
  });

  test.each([
    ['top_k: only the most likely token', { top_k: 1 }],
    ['top_p: only the most likely token', { top_p: 0.0001 }],
    ['min_p: only the most likely token', { min_p: 1 }],
    ['tfs_z: cuts the tail', { tfs_z: 0.0001 }],
    ['typical_p: only the most typical token', { typical_p: 0.0001 }],
    ['top_n_sigma: only the most likely token', { top_n_sigma: 0.0001 }],
    ['dynatemp_range: cold where the model is certain', { dynatemp_range: 2, dynatemp_exponent: 100 }],
  ])('%s', async (_, options) => {
    expect(await varieties({ ...wild, ...options })).toBe(1);
  });

  test('moderate tfs_z and typical_p change the choice', async () => {
    const plain = await ask(url, story, { ...wild, seed: 1 });
    for (const options of [{ tfs_z: 0.5 }, { typical_p: 0.5 }]) {
      expect(await varieties({ ...wild, ...options })).toBeGreaterThan(1);
      expect(await ask(url, story, { ...wild, ...options, seed: 1 })).not.toBe(plain);
    }
  });

  test('xtc_probability: leaves out the most likely tokens above xtc_threshold', async () => {
    const options = { top_k: 1, temperature: 1, seed: 1, num_predict: 16 };
    const certain = await ask(url, story, options);
    const surprising = { ...options, top_k: 2, xtc_probability: 1 };
    expect(await ask(url, story, { ...surprising, xtc_threshold: 0.01 })).not.toBe(certain);
    expect(await ask(url, story, { ...surprising, top_p: 0.0001, xtc_threshold: 0.9 })).toBe(certain);
  });

  test.each([1, 2])('mirostat %d targets the surprise of mirostat_tau', async (mirostat) => {
    const options = { mirostat, temperature: 1, num_predict: 40 };
    expect(await varieties({ ...options, mirostat_tau: 0.01 })).toBeLessThan(
      await varieties({ ...options, mirostat_tau: 9 }),
    );
  });

  test.each([1, 2])('mirostat %d adapts by mirostat_eta', async (mirostat) => {
    const text = (mirostat_eta: number) =>
      ask(url, story, { mirostat, mirostat_eta, mirostat_tau: 4, temperature: 1, seed: 4, num_predict: 80 });
    expect(await text(0.9)).not.toBe(await text(0.01));
  });
});

describe('penalties', () => {
  const start = 'The fox ran. The fox ran. The fox ran.';
  const plain = { temperature: 0, repeat_penalty: 1, num_predict: 150 };
  const words = (text: string): number => new Set(text.split(/\s+/)).size;
  let looping: string;
  beforeAll(async () => {
    // As above.
    await goOn(start, { num_predict: 1 });
    looping = await goOn(start, plain);
  });

  test.each([
    ['repeat_penalty', { repeat_penalty: 1.5 }],
    ['presence_penalty', { presence_penalty: 3 }],
    ['frequency_penalty', { frequency_penalty: 1 }],
    ['dry_multiplier', { dry_multiplier: 3, dry_penalty_last_n: -1 }],
  ])('%s: fewer repeated words', async (_, options) => {
    const varied = await goOn(start, { ...plain, ...options });
    expect(words(varied)).toBeGreaterThan(1.2 * words(looping));
  });

  test('repeat_last_n: 0 disables penalties, a few tokens have less effect than the entire context', async () => {
    const text = (repeat_last_n: number) => goOn(start, { ...plain, repeat_penalty: 1.5, repeat_last_n });
    expect(await text(0)).toBe(looping);
    expect(words(await text(2))).toBeLessThan(words(await text(-1)));
  });

  test('the other DRY options: base, allowed length, window and breakers', async () => {
    const dry = { ...plain, dry_multiplier: 3, dry_penalty_last_n: -1 };
    const off = [{ dry_penalty_last_n: 0 }, { dry_allowed_length: 1000 }, { dry_sequence_breakers: [' ', 'e'] }];
    for (const options of off) expect(await goOn(start, { ...dry, ...options })).toBe(looping);
    expect(await goOn(start, { ...dry, dry_base: 1, dry_multiplier: 1e-6 })).toBe(looping);
    expect(await goOn(start, { ...dry, dry_base: 1000, dry_multiplier: 1e-6 })).not.toBe(looping);
  });

  test('penalize_newline: whether line breaks are penalized', async () => {
    const lineBreaks = async (penalize_newline: boolean) =>
      (await goOn('A list:\n1\n2\n3\n', { ...plain, repeat_penalty: 3, penalize_newline })).split('\n').length;
    expect(await lineBreaks(false)).toBeGreaterThan(await lineBreaks(true));
  });
});

describe('the end of an answer', () => {
  test('num_predict: the maximum number of tokens', async () => {
    const answer = await generate(url, { prompt: story, options: { num_predict: 7, temperature: 0 } });
    expect(answer).toMatchObject({ eval_count: 7, done_reason: 'length' });
  });

  test('num_predict 0: no limit, as in Ollama', async () => {
    const options = { temperature: 0, num_ctx: 64 };
    const [zero, none] = [
      await generate(url, { prompt: story, options: { ...options, num_predict: 0 } }),
      await generate(url, { prompt: story, options }),
    ];
    expect(zero.eval_count).toBeGreaterThan(1);
    expect(zero.response).toBe(none.response);
  });

  test('stop: ends before the sequence, no part of which is sent', async () => {
    const whole = await ask(url, story, { temperature: 0 });
    const stop = whole.slice(20, 27);
    const { objects } = await post(url, '/api/generate', {
      model: 'ember',
      prompt: story,
      options: { temperature: 0, stop: ['no such thing', stop] },
    });
    expect(objects.map(({ response }) => response).join('')).toBe(whole.slice(0, 20));
    expect(objects.at(-1)).toMatchObject({ done: true, done_reason: 'stop' });
  });

  test('min_tokens: neither the model nor a stop sequence ends the answer before', async () => {
    const short = { prompt: 'What is 2 + 2?', options: { temperature: 0 } };
    const { eval_count: length = 0, response } = await generate(url, short);
    expect(length).toBeLessThan(40);
    const stop = response.trim().slice(0, 1);
    for (const options of [{}, { stop }]) {
      const longer = await generate(url, { ...short, options: { temperature: 0, min_tokens: 40, ...options } });
      expect(longer.eval_count).toBeGreaterThanOrEqual(40);
    }
  });

  test('ignore_eos: the answer ends at num_predict, also if it repeats itself', async () => {
    const options = { temperature: 0, ignore_eos: true, num_predict: 300 };
    const answer = await generate(url, { prompt: 'What is 2 + 2?', options });
    expect(answer).toMatchObject({ eval_count: 300, done_reason: 'length' });
  });

  test('ignore_eos: a format ends the answer', async () => {
    const options = { temperature: 0, ignore_eos: true, num_predict: 300 };
    const answer = await generate(url, { prompt: 'Hi', options, format: { const: 'yes' } });
    expect(answer).toMatchObject({ response: '"yes"', done_reason: 'stop' });
  });

  test('num_keep: the part of a long prompt that is kept', async () => {
    const prompt = Array.from({ length: 200 }, (_, index) => `${index}`).join(' ');
    const kept = async (num_keep: number) =>
      (await generate(url, { prompt, raw: true, options: { num_ctx: 64, num_keep, num_predict: 1 } }))
        .prompt_eval_count;
    expect(await kept(0)).toBe(32);
    expect(await kept(10)).toBe(37);
    expect(await kept(-1)).toBe(62);
  });
});

describe('loading a model', () => {
  /** The process of Ember, not of the other model. */
  const runner = (): number =>
    Number(
      server
        .log()
        .match(/model loaded model=ember\S* pid=\d+/g)
        ?.at(-1)
        ?.split('=')
        .at(-1),
    );
  const procfs = (file: string): string => readFileSync(`/proc/${runner()}/${file}`, 'utf8');
  const load = (options: Body) => generate(url, { prompt: 'What is 2 + 2?', options: { temperature: 0, ...options } });

  test('num_ctx: the size of the context', async () => {
    const prompt = Array.from({ length: 200 }, (_, index) => `${index}`).join(' ');
    const counts = [64, 128, 2048].map(async (num_ctx) => {
      const { headers, objects } = await post(url, '/api/generate', {
        model: 'ember',
        prompt,
        raw: true,
        stream: false,
        options: { num_ctx, num_predict: 1 },
      });
      return [objects[0]?.prompt_eval_count, Number(headers.get('x-hearth-dropped-tokens'))] as const;
    });
    const [small, medium, large] = await Promise.all(counts);
    const all = large?.[0] ?? 0;
    expect(large?.[1]).toBe(0);
    expect(small).toEqual([34, all - 34]);
    expect(medium).toEqual([66, all - 66]);
  });

  test('num_ctx: limited to the trained context length', async () => {
    await load({ num_ctx: 1_000_000 });
    expect(server.log()).toMatch(/model loaded .*context=2048/);
  });

  test('num_batch: passed to the engine', async () => {
    await load({ num_batch: 48 });
    expect(server.log()).toMatch(/n_ubatch\s+= 48/);
  });

  test('num_thread: the number of threads, limited to the processors', async () => {
    const threads = async (num_thread: number): Promise<number> => {
      await load({ num_thread });
      return readdirSync(`/proc/${runner()}/task`).length;
    };
    expect((await threads(64)) - (await threads(1))).toBe(availableParallelism() - 1);
  });

  test('use_mmap: whether the file is mapped into memory', async () => {
    await load({ use_mmap: true });
    expect(procfs('maps')).toMatch(/blobs\/sha256-/);
    await load({ use_mmap: false });
    expect(procfs('maps')).not.toMatch(/blobs\/sha256-/);
  });

  test('use_mlock: locks the model in memory', async () => {
    const locked = (): number => Number(/^VmLck:\s+(\d+) kB$/m.exec(procfs('status'))?.[1]);
    await load({ use_mlock: false });
    expect(locked()).toBe(0);
    await load({ use_mlock: true });
    expect(locked()).toBeGreaterThan(10_000);
  });

  test('vocab_only: the model loads but cannot generate', async () => {
    expect((await post(url, '/api/generate', { model: 'ember', options: { vocab_only: true } })).status).toBe(200);
    const { status, objects } = await post(url, '/api/generate', {
      model: 'ember',
      prompt: 'x',
      options: { vocab_only: true },
    });
    expect(status).toBe(400);
    expect(objects[0]?.error).toBe('the model was loaded with vocab_only and cannot generate');
  });

  test.each([{ num_gpu: 99, main_gpu: 1, low_vram: true, numa: true }, { num_gpu: 0 }])(
    '%j is accepted on a machine without a GPU',
    async (options) => {
      expect((await load(options)).response).toContain('4');
    },
  );

  test('equal options do not reload the model, different ones do', async () => {
    await load({ num_ctx: 512 });
    const before = runner();
    await load({ num_ctx: 512, temperature: 1, seed: 5 });
    expect(runner()).toBe(before);
    await load({ num_ctx: 256 });
    expect(runner()).not.toBe(before);
  });
});

test('end-of-text tokens are never sent', async () => {
  const prompts = [story, 'Say 👍👍👍 and 中文 please.', chatml('ünïcödé 🦊🦊🦊')];
  for (const prompt of prompts) {
    const { objects } = await post(url, '/api/generate', {
      model: 'ember',
      prompt,
      options: { seed: 2, temperature: 1.5, num_predict: 80 },
    });
    const text = objects.map(({ response }) => response).join('');
    expect(text).not.toContain('<|im_end|>');
    expect(text).not.toContain('<|endoftext|>');
  }
});

test('characters are never split', async () => {
  // A model can write incomplete characters, so the text is prescribed. Each of its characters is several tokens.
  const words = '👍🦊中文ünïcödé';
  const { objects } = await post(url, '/api/generate', { model: 'ember', prompt: 'Hi', format: { const: words } });
  const pieces = objects.map(({ response }) => response ?? '');
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.filter((piece) => piece.includes('\ufffd'))).toEqual([]);
  expect(JSON.parse(pieces.join(''))).toBe(words);
});
