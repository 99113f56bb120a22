import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createServiceFixture } from '../../../../test/support/service-fixture.ts';
import type { KeyScope } from '../../../base/request/caller-key.ts';
import { RequestReport } from '../../../base/request/request-report.ts';
import { runInRequest } from '../../../base/request/request-scope.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { createLoadModel, type LoadInput } from './load-model.ts';

const fixture = createServiceFixture();
const never = new AbortController().signal;
beforeAll(async () => {
  await fixture.putModel('plain');
  await fixture.putModel('embeds', {
    metadata: {
      'general.architecture': { type: 'string', value: 'bert' },
      'bert.pooling_type': { type: 'u32', value: 1 },
    },
  });
});
afterAll(() => fixture.remove());

async function load(model: string, input: Partial<LoadInput> = {}) {
  const services = fixture.createServices();
  const common = {
    model: parseRequestedModel(model),
    options: parseOptions({}),
    task: 'chat',
    report: new RequestReport(),
  } as const;
  const outcome = createLoadModel(services)({ ...common, ...input }, never);
  return { outcome, engine: services.engine };
}

test('the model is loaded and released', async () => {
  const { outcome, engine } = await load('plain', { keepAlive: 5000 });
  expect(await outcome).toBe('loaded');
  expect(engine.acquired).toMatchObject([{ name: 'plain:latest', keepAlive: 5000 }]);
  expect(engine.generated).toEqual([]);
  expect(engine.openLeases()).toBe(0);
});

test('with keepAlive 0 it is unloaded', async () => {
  const { outcome, engine } = await load('plain', { keepAlive: 0 });
  expect(await outcome).toBe('unloaded');
  expect(engine.acquired).toEqual([]);
  expect(engine.unloaded).toEqual([expect.stringMatching(/^sha256:/)]);
});

test.each<[KeyScope, string | undefined]>([
  ['infer', 'key_a'],
  ['manage', undefined],
])('a key with the scope %s unloads unless others use the model: %s', async (scope, client) => {
  const services = fixture.createServices();
  const unload = vi.fn(async () => client === undefined);
  const key = { id: 'a', name: 'anna', scope, group: 'a', models: [], weight: 1 };
  const report = new RequestReport();
  const input = { model: parseRequestedModel('plain'), options: parseOptions({}), task: 'chat', report } as const;
  const outcome = runInRequest({ id: '1', client: 'key_a', key, signal: never }, () =>
    createLoadModel({ ...services, engine: { ...services.engine, unload } })({ ...input, keepAlive: 0 }, never),
  );
  if (client === undefined) expect(await outcome).toBe('unloaded');
  else await expect(outcome).rejects.toThrow("other clients use the model 'plain'; a key with the scope manage");
  expect(unload).toHaveBeenCalledWith(expect.any(String), client);
});

test.each<[string, Partial<LoadInput>, string]>([
  ['NoSuch:v1', {}, "model 'NoSuch:v1' not found"],
  ['NoSuch:v1', { keepAlive: 0 }, "model 'NoSuch:v1' not found"],
  ['embeds', { task: 'generate' }, '"embeds" does not support generate'],
])('%s %j: %s', async (model, input, message) => {
  const { outcome, engine } = await load(model, input);
  await expect(outcome).rejects.toThrow(message);
  expect(engine.acquired).toEqual([]);
});
