import { expect, test } from 'vitest';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import type { PsResponseBody } from '../../server/dialects/ollama/status/ps-schema.ts';
import { formatExperts, formatLoaded, formatProcessor, formatPulls, formatRequestLog } from './ps.ts';

test.each([
  [100, 0, '100% CPU'],
  [100, 100, '100% GPU'],
  [100, 75, '25%/75% CPU/GPU'],
  [0, 10, 'Unknown'],
])('%d bytes with %d on the GPU are shown as %s', (size, onGpu, text) => {
  expect(formatProcessor(size, onGpu)).toBe(text);
});

const now = Date.UTC(2030, 0, 1);
const minute = 60_000;
const year = 365 * 86_400_000;

test.each([
  ['idle', 5 * minute, '5 minutes from now'],
  ['idle', 292 * year, 'Forever'],
  ['idle', -minute, 'Stopping...'],
  ['draining', 5 * minute, 'Stopping...'],
  ['loading', 5 * minute, 'Loading...'],
  ['sleeping', 5 * minute, 'Sleeping...'],
] as const)('a model in state %s with %d ms left is shown as: %s', (state, left, text) => {
  const details = {} as PsResponseBody['models'][number]['details'];
  const model = { name: 'm:latest', model: 'm', size: 2e9, digest: 'a'.repeat(64), details, size_vram: 0, state };
  const modified_at = formatTimestamp(now);
  const [, row] = formatLoaded([{ ...model, modified_at, expires_at: formatTimestamp(now + left) }], now).split('\n');
  expect(row).toBe(`m:latest    aaaaaaaaaaaa    2 GB    100% CPU                ${text}`);
});

test('pulls have their progress, or why they failed', () => {
  const common = { id: '1', started_at: formatTimestamp(now) };
  const table = formatPulls([
    {
      ...common,
      model: 'qwen3:8b',
      state: 'running',
      status: `downloading sha256:${'a'.repeat(64)}`,
      total: 5e9,
      completed: 12e8,
    },
    {
      ...common,
      model: 'nobody/nothing',
      state: 'failed',
      status: 'pulling manifest',
      error: 'file does not exist\u001b[2J',
    },
  ]);
  expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['MODEL', 'STATE', 'PROGRESS', 'STATUS'],
    ['qwen3:8b', 'running', '1.2 GB/5 GB', 'downloading'],
    ['nobody/nothing', 'failed', 'file does not exist[2J'],
    [''],
  ]);
});

test('users see that the request log is on', () => {
  expect(formatRequestLog(0)).toBe('');
  expect(formatRequestLog(20)).toContain('keeps prompts and answers of the last 20 requests');
});

test('models with experts in main memory are named', () => {
  const devices = [{ name: 'CUDA0', size_vram: 1 }];
  const named = (name: string, gpu: object) => ({ name, gpu: { devices, ...gpu } });
  const list = (...models: object[]) => formatExperts(models as PsResponseBody['models']);
  const moved = named('mixture:30b', { expert_layers_in_memory: 31 });
  expect(list(named('m:latest', {}), { name: 'cpu:latest' })).toBe('');
  expect(list(named('m:latest', {}), moved)).toBe('\nmixture:30b: experts of 31 layers in main memory\n');
});
