import { expect, test } from 'vitest';
import type { MemoryUse } from '../../protocol/messages.ts';
import { createMemoryMeter } from './memory-meter.ts';

const mebibyte = 2 ** 20;

const cuda = [
  { name: 'CUDA0', isUnified: false },
  { name: 'CUDA1', isUnified: false },
];

function setUp(gpus = cuda) {
  const reports: MemoryUse[] = [];
  let forwarded = '';
  let log: readonly string[] = [];
  const meter = createMemoryMeter({
    capture(onText, call) {
      const result = call();
      log.forEach(onText);
      return result;
    },
    onChange: (memory) => reports.push(memory),
    gpus,
    forward: (text) => {
      forwarded += text;
    },
  });
  const measure = (part: Parameters<typeof meter.measure>[0], ...texts: readonly string[]): MemoryUse | undefined => {
    log = texts;
    meter.measure(part, () => 'allocated');
    return reports.at(-1);
  };
  return { meter, measure, reports, forwarded: () => forwarded };
}

const log = [
  'load_tensors:   CPU_Mapped model buffer size =    28.00 MiB',
  'load_tensors:          AMX model buffer size =    33.00 MiB',
  'load_tensors:        CUDA0 model buffer size =   100.50 MiB',
  'llama_context:  CUDA_Host  output buffer size =     0.50 MiB',
  'llama_kv_cache:      CUDA0 KV buffer size =    16.00 MiB',
  'sched_reserve:      CUDA0 compute buffer size =    18.00 MiB',
  'llama_kv_cache: size =   16.00 MiB (  2048 cells)',
  '',
].join('\n');

test('buffers are summed, GPU buffers also separately, however the log is split', () => {
  const devices = [{ name: 'CUDA0', bytes: 134.5 * mebibyte, isUnified: false }];
  const expected = { totalBytes: 196 * mebibyte, deviceBytes: 134.5 * mebibyte, devices };
  expect(setUp().measure('context', log)).toEqual(expected);
  expect(setUp().measure('context', ...log)).toEqual(expected);
});

test.each([
  ['CPU', 0],
  ['CUDA1', 5],
])('the weights of a projector on %s count there', (device, onGpu) => {
  const memory = setUp().measure(
    'projector',
    `clip_ctx: CLIP using ${device} backend\n`,
    'load_hparams: model size:         4.00 MiB\n',
    'load_hparams: metadata size:      0.03 MiB\n',
    `reserve_compute_meta:      ${device} compute buffer size =     1.00 MiB\n`,
  );
  expect(memory).toMatchObject({ totalBytes: 5 * mebibyte, deviceBytes: onGpu * mebibyte });
});

test('each GPU is reported, whatever the names of its buffers', () => {
  const memory = setUp().measure(
    'weights',
    'load_tensors: CUDA0 model buffer size = 1.00 MiB\n',
    'load_tensors: CUDA1_Split model buffer size = 2.00 MiB\n',
    'load_tensors: CUDA_Split model buffer size = 4.00 MiB\n',
  );
  expect(memory?.devices).toEqual([
    { name: 'CUDA0', bytes: mebibyte, isUnified: false },
    { name: 'CUDA1', bytes: 2 * mebibyte, isUnified: false },
    { name: 'CUDA_Split', bytes: 4 * mebibyte, isUnified: false },
  ]);
});

test('the only GPU has all GPU buffers; an integrated one is marked', () => {
  const memory = setUp([{ name: 'MTL0', isUnified: true }]).measure(
    'weights',
    'load_tensors: MTL0_Mapped model buffer size = 1.00 MiB\n',
    'load_tensors: Metal model buffer size = 2.00 MiB\n',
  );
  expect(memory?.devices).toEqual([{ name: 'MTL0', bytes: 3 * mebibyte, isUnified: true }]);
});

test('a part that is measured again replaces the earlier measurement', () => {
  const { measure, meter, reports } = setUp();
  const context = (size: number): string =>
    `llama_kv_cache:  CPU KV buffer size = ${size} MiB\nsched_reserve: CUDA0 compute buffer size = 1 MiB\n`;
  measure('weights', 'load_tensors:   CPU_Mapped model buffer size =    28.00 MiB\n');
  for (const size of [2, 4, 8]) measure('embeddings', context(size));
  expect(reports.at(-1)).toMatchObject({ totalBytes: 37 * mebibyte, deviceBytes: mebibyte });
  meter.clear('embeddings');
  expect(reports.at(-1)).toEqual({ totalBytes: 28 * mebibyte, deviceBytes: 0, devices: [] });
});

test('the log is passed on', () => {
  const { measure, forwarded } = setUp();
  measure('weights', 'one ', 'line\n', 'error: another\n');
  expect(forwarded()).toBe('one line\nerror: another\n');
});

test('the result of the call is returned', () => {
  expect(setUp().meter.measure('weights', () => 42)).toBe(42);
});

test('a long line from a hostile file is not searched', () => {
  const { measure } = setUp();
  const name = 'x'.repeat(1_000_000);
  expect(measure('weights', `${name} CPU model buffer size = 1 MiB\n`)).toMatchObject({
    totalBytes: 0,
    deviceBytes: 0,
  });
});
