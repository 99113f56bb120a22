// The prefix cache of a model has the memory that the models leave, and `ps` shows its size. What a client names stays longer.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { generate } from '../support/client.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { repository } from '../support/repository.ts';
import { startServer } from '../support/server.ts';

async function loadedBy(url: string): Promise<PsResponseBody['models']> {
  return ((await (await fetch(`${url}/api/ps`)).json()) as PsResponseBody).models;
}

test('the prefix cache grows up to the memory budget, and shrinks when another model needs the room', async () => {
  const common = { HEARTH_NUM_PARALLEL: '1', HEARTH_CONTEXT_LENGTH: '1024' };
  const alone = await startServer({ environment: common });
  await generate(alone.url, { prompt: 'Hi', options: { num_predict: 1 } });
  const size = (await loadedBy(alone.url))[0]?.size ?? 0;
  await alone.stop();

  const budget = 4.5 * size;
  /** What each cache may have when both models are loaded. */
  const shared = (budget - 2 * size) / 2;
  const server = await startServer({ environment: { ...common, HEARTH_MEMORY_BUDGET: String(Math.round(budget)) } });
  try {
    const other = readFileSync(repository('models/ember-q4_k_m.gguf'));
    other[other.length - 1] = 1;
    await addModel(server.store, 'other', other);
    const cacheOf = async (name: string): Promise<number> =>
      (await loadedBy(server.url)).find((model) => model.name === `${name}:latest`)?.size_prefix_cache ?? 0;

    // Each prompt takes seven mebibytes.
    for (let count = 0; count < 18; count++)
      await generate(server.url, { prompt: `${count} ${'word '.repeat(600)}`, options: { num_predict: 1 } });
    expect(await cacheOf('ember')).toBeGreaterThan(shared);
    expect(await cacheOf('ember')).toBeLessThanOrEqual(budget - size);

    await generate(server.url, { model: 'other', prompt: 'Hi', options: { num_predict: 1 } });
    await expect.poll(() => cacheOf('ember')).toBeLessThanOrEqual(shared);
    expect((await loadedBy(server.url)).length).toBe(2);
  } finally {
    await server.stop();
  }
});

test('the prompt of a conversation that its client names stays longer than its other prompts', async () => {
  const environment = {
    HEARTH_NUM_PARALLEL: '1',
    HEARTH_CONTEXT_LENGTH: '1024',
    // Room for two of the prompts below.
    HEARTH_PREFIX_CACHE: '4MiB',
    HEARTH_CACHE: '0',
  };
  const server = await startServer({ environment });
  let number = 0;
  const textOf = (): string => `${++number} ${'word '.repeat(150)}`;
  /** The share of the prompt that was cached. */
  const send = async (content: string, { body = {}, headers = {} }: Named): Promise<number> => {
    const messages = [{ role: 'user', content }];
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'ember', messages, max_tokens: 1, ...body }),
    });
    const { usage } = (await response.json()) as {
      usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
    };
    return usage.prompt_tokens_details.cached_tokens / usage.prompt_tokens;
  };
  try {
    const shares: [string, boolean][] = [];
    for (const [kind, named] of Object.entries(names)) {
      const content = textOf();
      await send(content, named);
      for (let other = 0; other < 2; other++) await send(textOf(), {});
      shares.push([kind, (await send(content, named)) > 0.97]);
    }
    expect(Object.fromEntries(shares)).toEqual({
      nothing: false,
      prompt_cache_key: true,
      'x-session-id': true,
      Codex: true,
      'Claude Code': true,
    });
  } finally {
    await server.stop();
  }
});

interface Named {
  readonly body?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const names: Readonly<Record<string, Named>> = {
  nothing: {},
  prompt_cache_key: { body: { prompt_cache_key: 'a' } },
  'x-session-id': { headers: { 'x-session-id': 'b' } },
  Codex: { headers: { session_id: 'c' } },
  'Claude Code': { headers: { 'x-claude-code-session-id': 'd', 'x-claude-code-agent-id': '1' } },
};
