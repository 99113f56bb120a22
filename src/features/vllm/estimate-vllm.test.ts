import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { estimateSleep, estimateVllm } from './estimate-vllm.ts';

const gibibyte = 2 ** 30;
const folder = mkdtempSync(join(tmpdir(), 'hearth-vllm-'));
const environment = { HF_HOME: folder, VLLM_CPU_KVCACHE_SPACE: '2' };
const sourceOf = (checkpoint: string, parameters = {}) => ({
  kind: 'hosted' as const,
  key: '',
  engine: 'vllm' as const,
  checkpoint,
  parameters,
  capabilities: [],
});

function writeCheckpoint(path: string): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'config.json'), '{"model_type":"llama"}');
  writeFileSync(join(path, 'model.safetensors'), Buffer.alloc(3_000_000));
  return path;
}

test('without a GPU: the weights, the KV cache and the program', async () => {
  const base = await estimateVllm(sourceOf(join(folder, 'missing')), [], environment);
  expect(base.bytes).toBeGreaterThan(2 * gibibyte);
  const checkpoint = writeCheckpoint(join(folder, 'model'));
  const { bytes, devices } = await estimateVllm(sourceOf(checkpoint), [], environment);
  expect([bytes - base.bytes, devices]).toEqual([3_000_000, undefined]);
  const wide = await estimateVllm(sourceOf(checkpoint, { dtype: 'float32' }), [], environment);
  expect(wide.bytes - base.bytes).toBe(6_000_000);
});

test('a name is found in the cache of Hugging Face', async () => {
  const base = await estimateVllm(sourceOf('org/other'), [], environment);
  writeCheckpoint(join(folder, 'hub', 'models--org--name', 'snapshots', 'abc'));
  const { bytes } = await estimateVllm(sourceOf('org/name'), [], environment);
  expect(bytes - base.bytes).toBe(3_000_000);
});

test('while it sleeps: the weights and the program, if the size of the weights is known', async () => {
  const checkpoint = writeCheckpoint(join(folder, 'sleeper'));
  expect(await estimateSleep(sourceOf(checkpoint), environment)).toBe(2.5 * gibibyte + 3_000_000);
  expect(await estimateSleep(sourceOf('org/missing'), environment)).toBeUndefined();
});

test('on GPUs: the share of each that vLLM uses', async () => {
  const gpus = ['CUDA0', 'CUDA1', 'CUDA2'].map((name) => ({ name, bytes: 100 }));
  const one = await estimateVllm(sourceOf('x'), gpus, {});
  expect(one.devices).toEqual(new Map([['CUDA0', 90]]));
  const parameters = { tensor_parallel_size: 2, gpu_memory_utilization: 0.5 };
  const two = await estimateVllm(sourceOf('x', parameters), gpus, {});
  expect(two.devices).toEqual(
    new Map([
      ['CUDA0', 50],
      ['CUDA1', 50],
    ]),
  );
});
