// Callers at one address without keys, with and without HEARTH_SEPARATE_CLIENTS.

import { Agent, fetch as fetchWith } from 'undici';
import { describe, expect, test } from 'vitest';
import type { GenerateResponseBody } from '../../src/server/dialects/ollama/generation/generate-schema.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { startServer } from '../support/server.ts';

type Send = (path: string, init?: { method?: string; body?: object }) => Promise<Response>;

/** A client with one connection of its own, which keeps it open. */
function createClient(url: string, user: string): { send: Send; close(): Promise<void> } {
  const dispatcher = new Agent({ connections: 1, pipelining: 2 });
  const send: Send = async (path, { method = 'GET', body } = {}) =>
    (await fetchWith(url + path, {
      method,
      headers: { 'x-user': user },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher,
    })) as unknown as Response;
  return { send, close: () => dispatcher.destroy() };
}

const prompt = `Repeat: ${'the quick brown fox '.repeat(30)}`;
const ask = { model: 'endless', prompt, stream: false, options: { num_predict: 1 } };

describe.each([
  ['address', false],
  ['header:X-User', true],
])('by %s', (separation, isSeparate) => {
  test(`requests of another client ${isSeparate ? 'cannot' : 'can'} be canceled, and its prompts ${isSeparate ? 'are not' : 'are'} cached`, async () => {
    const server = await startServer({ environment: { HEARTH_SEPARATE_CLIENTS: separation } });
    const [ada, bob] = [createClient(server.url, 'ada'), createClient(server.url, 'bob')];
    try {
      await addEndlessModel(server.store, 'endless');
      const cached = async ({ send }: typeof ada): Promise<number> => {
        const answer = (await (
          await send('/api/generate', { method: 'POST', body: ask })
        ).json()) as GenerateResponseBody;
        return answer.prompt_eval_cached_count ?? 0;
      };
      await cached(ada);
      expect((await cached(bob)) > 50).toBe(!isSeparate);
      expect((await cached(ada)) > 50).toBe(true);

      const body = { ...ask, stream: true, options: { num_predict: 100_000 } };
      const endless = await ada.send('/api/generate', { method: 'POST', body });
      const id = endless.headers.get('x-request-id');
      const { status } = await bob.send(`/api/requests/${id}`, { method: 'DELETE' });
      expect(status).toBe(isSeparate ? 404 : 200);
      await endless.body?.cancel();
    } finally {
      await Promise.all([ada.close(), bob.close()]);
      await server.stop();
    }
  });
});
