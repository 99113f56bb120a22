// Types of the KV cache: each one answers, and takes the memory that the plan estimates.

import { expect, test } from 'vitest';
import { createModelFactsReader } from '../../src/inference/local/files/model-facts.ts';
import { kvCacheTypeNames } from '../../src/models/kv-cache-types.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { acquireEmber, askEmber, emberSource, never, startEngine } from '../support/engine.ts';

const mebibyte = 2 ** 20;

test.each(kvCacheTypeNames)('%s for keys and values: the answer, and the memory', async (type) => {
  const engine = startEngine({ numParallel: 2, cacheTypes: { keys: type, values: type } });
  try {
    const { shape } = await createModelFactsReader().read(emberSource);
    const options = resolveOptions({ numCtx: 4096 }).load;
    const lease = await engine.acquire(
      { name: 'ember', source: emberSource, options, ...(shape ? { shape } : {}) },
      never,
    );
    expect((await askEmber(lease, 'What is the capital of France?', { temperature: 0 })).text).toContain('Paris');
    const { memory, plan } = lease.model;
    // The estimate includes the process, and room for the compute buffers of models with large vocabularies.
    const unreported = 64 * mebibyte;
    expect(plan.bytes - unreported).toBeGreaterThan(memory.totalBytes);
    expect(plan.bytes - unreported).toBeLessThan(memory.totalBytes + 82 * mebibyte);
  } finally {
    await engine.close(0);
  }
});

test('keys and values apart, by options; quantized values without flash attention are refused', async () => {
  const engine = startEngine({ numParallel: 1, flashAttention: false });
  try {
    const lease = await acquireEmber(engine, { numCtx: 256, kvCacheTypeK: 'q8_0' });
    expect(lease.model.plan.cacheTypes).toEqual({ keys: 'q8_0', values: 'f16' });
    expect((await askEmber(lease, 'What is 2 + 2?', { temperature: 0 })).text).toContain('4');
    await expect(acquireEmber(engine, { kvCacheTypeV: 'q8_0' })).rejects.toMatchObject({ code: 'bad_request' });
  } finally {
    await engine.close(0);
  }
});
