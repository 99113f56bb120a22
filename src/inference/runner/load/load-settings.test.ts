import { expect, test } from 'vitest';
import { resolveOptions } from '../../../models/options.ts';
import { shareOfGpus, toLoadSettings } from './load-settings.ts';

test.each([
  ['all', {}, { layers: 48, gpus: 1 }],
  ['all', { numGpu: 49 }, { layers: 48, gpus: 2 }],
  ['part', { numGpu: 48 }, { layers: 48, gpus: 1 }],
  ['part', { numGpu: 49 }, { layers: undefined, gpus: 1 }],
  ['part', { numCpuMoe: 3 }, { layers: 48, gpus: 1 }],
  ['part', { overrideTensor: 'exps=CPU' }, { layers: 48, gpus: 1 }],
  ['part', { lowVram: true }, { layers: 48, gpus: 1 }],
  ['nothing', { numCpuMoe: 3 }, { layers: 48, gpus: 0 }],
] as const)('GPUs compute %s of a model with %j on %j', (share, options, loaded) => {
  expect(shareOfGpus(toLoadSettings(resolveOptions(options).load), loaded)).toBe(share);
});
