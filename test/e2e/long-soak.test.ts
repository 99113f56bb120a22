// Many requests to one server: the memory of the server and of its runner levels off. Only `npm run test:soak` runs this.

import { expect, test } from 'vitest';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { post } from '../support/client.ts';
import { residentBytes } from '../support/processes.ts';
import { startServer } from '../support/server.ts';

const wanted = Number(process.env['HEARTH_TEST_REQUESTS']);
const atOnce = 8;
const samples = 20;
const mebibyte = 2 ** 20;
// Small, so that it is full early: what grows after that is not the cache.
const prefixCache = 32;

interface Sample {
  readonly requests: number;
  readonly server: number;
  readonly runner: number;
  /** What `ps` says of the model and its prefix cache. */
  readonly counted: number;
}

const toMebibytes = (bytes: number): number => Math.round(bytes / mebibyte);

/** Different prompts, streams, embeddings, tokens and lists in turn. */
function requestOf(index: number): [path: string, body: Record<string, unknown> | undefined] {
  const prompt = `Question ${index}: ${'why '.repeat(index % 40)}`;
  const options = { num_predict: 2 };
  const kinds: [string, Record<string, unknown> | undefined][] = [
    ['/api/generate', { model: 'ember', prompt, stream: false, options }],
    ['/api/chat', { model: 'ember', messages: [{ role: 'user', content: prompt }], options }],
    ['/v1/chat/completions', { model: 'ember', messages: [{ role: 'user', content: prompt }], max_tokens: 2 }],
    ['/api/embed', { model: 'ember', input: [prompt] }],
    ['/api/tags', undefined],
  ];
  return kinds[index % kinds.length] as (typeof kinds)[number];
}

test(`${wanted} requests, and memory that does not grow`, { timeout: 24 * 3600 * 1000 }, async () => {
  const server = await startServer({
    environment: { HEARTH_NUM_PARALLEL: '4', HEARTH_CONTEXT_LENGTH: '512', HEARTH_PREFIX_CACHE: `${prefixCache}MiB` },
  });
  const taken: Sample[] = [];
  let failures = 0;
  let next = 0;
  const sample = async (): Promise<void> => {
    const { models } = (await (await fetch(`${server.url}/api/ps`)).json()) as PsResponseBody;
    const counted = models.reduce((sum, { size, size_prefix_cache = 0 }) => sum + size + size_prefix_cache, 0);
    const runner = server.runners().reduce((sum, pid) => sum + residentBytes(pid), 0);
    const one = { requests: next, server: residentBytes(server.pid), runner, counted };
    taken.push(one);
    const shown = (['server', 'runner', 'counted'] as const).map((name) => `${name} ${toMebibytes(one[name])} MiB`);
    console.log(`${one.requests}: ${shown.join(', ')}`);
  };
  const one = async (): Promise<void> => {
    while (next < wanted) {
      const index = next++;
      const [path, body] = requestOf(index);
      const status = body ? (await post(server.url, path, body)).status : (await fetch(server.url + path)).status;
      if (status !== 200) failures++;
      if (index % Math.ceil(wanted / samples) === 0) await sample();
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, one));
    await sample();
  } finally {
    await server.stop();
  }
  expect(failures).toBe(0);
  const of = (part: readonly Sample[], name: keyof Sample): number => Math.max(...part.map((one) => one[name]));
  // The second half against the first: a leak goes on, and a cache that fills does not.
  const [first, second] = [taken.slice(0, taken.length / 2), taken.slice(taken.length / 2)];
  for (const name of ['server', 'runner'] as const)
    expect(of(second, name)).toBeLessThan(1.2 * of(first, name) + 48 * mebibyte);
});
