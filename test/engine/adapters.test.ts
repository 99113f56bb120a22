// Adapters chosen per request, with the real engine and an adapter that makes every answer begin with "Ahoy!".

import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { askEmber, countersOf, emberSource, never, startEngine } from '../support/engine.ts';
import { repository } from '../support/repository.ts';

const adapter = repository('models/ember-ahoy-lora-f16.gguf');
const source = {
  ...emberSource,
  key: 'sailor',
  adapterPaths: [adapter, adapter],
  fileBytes: emberSource.fileBytes + 2 * statSync(adapter).size,
};
const question = 'Who are you?';
const none = { temperature: 0, adapters: [] };
const one = { temperature: 0, adapters: ['0'] };

let engine: Engine;
let sailor: Lease;
let plain: Lease;
beforeAll(async () => {
  engine = startEngine({ numParallel: 4 });
  const options = resolveOptions({ numCtx: 512 }).load;
  sailor = await engine.acquire({ name: 'sailor', source, options }, never);
  plain = await engine.acquire({ name: 'ember', source: emberSource, options }, never);
});
afterAll(() => engine.close(0));

test('each request has the adapters that it chooses, and none is the model without adapters', async () => {
  const ahoy = await askEmber(sailor, question, one);
  const without = await askEmber(sailor, question, none);
  expect(ahoy.text).toContain('Ahoy!');
  expect(without.text).not.toContain('Ahoy!');
  expect(without.text).toBe((await askEmber(plain, question, none)).text);
});

test('the scale counts: a scale of 0 is no adapter, and two halves are one', async () => {
  const zero = await askEmber(sailor, question, { temperature: 0, adapters: ['0=0', '1=0'] });
  expect(zero.text).not.toContain('Ahoy!');
  const halves = await askEmber(sailor, question, { temperature: 0, adapters: ['0=0.5', '1=0.5'] });
  expect(halves.text).toContain('Ahoy!');
});

test('a prompt that was evaluated with other adapters is not reused', async () => {
  // A question whose answer is certain: tokens that were evaluated in another batch round differently.
  const long = `${'The fox and the king walk by the river. '.repeat(6)}What is the capital of France?`;
  // No other test has these adapters, so that not even the start of a message was evaluated with them.
  const second = { temperature: 0, adapters: ['1'] };
  const first = await askEmber(sailor, long, second);
  const other = await askEmber(sailor, long, { temperature: 0, adapters: ['0=0.25'] });
  const again = await askEmber(sailor, long, second);
  expect([first.started.cachedTokens, other.started.cachedTokens]).toEqual([0, 0]);
  expect(again.started.cachedTokens).toBeGreaterThan(50);
  expect(again.text).toBe(first.text);
});

test('requests with different adapters run at the same time, each with its own text', async () => {
  const before = await countersOf(sailor);
  const options = [one, none, one, none];
  const answers = await Promise.all(options.map((option) => askEmber(sailor, question, { ...option, numPredict: 8 })));
  const after = await countersOf(sailor);
  expect(answers.map(({ text }) => text.includes('Ahoy!'))).toEqual([true, false, true, false]);
  // Two sets of adapters: two passes per token instead of four.
  expect(after.generatePasses - before.generatePasses).toBeLessThan(4 * 8);
});

test('an adapter that the model does not have is rejected', async () => {
  await expect(askEmber(sailor, question, { adapters: ['2'] })).rejects.toMatchObject({
    code: 'bad_request',
    message: 'adapter 2 does not exist: the model has 2, from 0 to 1',
  });
  await expect(askEmber(plain, question, { adapters: ['0'] })).rejects.toThrow('the model has no adapters');
});
