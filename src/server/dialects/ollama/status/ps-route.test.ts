import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../../test/support/fake-clock.ts';
import type { ResidentModel } from '../../../../inference/engine/ports.ts';
import type { LoadedEntry } from '../../../services/management/list-loaded.ts';
import { psRoute } from './ps-route.ts';
import type { PsResponseBody } from './ps-schema.ts';

async function gpuOf(memory: Partial<ResidentModel['memory']>, loaded?: Partial<NonNullable<ResidentModel['loaded']>>) {
  const resident = {
    name: 'm',
    state: 'idle',
    expiresAt: 0,
    memory: { totalBytes: 9, deviceBytes: 0, ...memory },
    loaded: loaded && { backend: 'cuda', ...loaded },
  } as ResidentModel;
  const details = { format: '', family: '', families: null, parameterSize: '', quantizationLevel: '' };
  const entry: LoadedEntry = { name: 'm', resident, digest: '', details, modifiedAt: 0, context: undefined };
  const route = psRoute(async () => [entry], createFakeClock());
  const body = (await route.handle({} as never, {} as never)) as PsResponseBody;
  return body.models[0]?.gpu;
}

const devices = [
  { name: 'CUDA0', bytes: 5, isUnified: false },
  { name: 'CUDA1', bytes: 2, isUnified: false },
];

test('a model that is not on a GPU has no gpu', async () => {
  expect(await gpuOf({})).toBeUndefined();
  expect(await gpuOf({ devices: [] }, { layers: { onGpus: 0, total: 9 } })).toBeUndefined();
});

test('the bytes on each GPU and the number of layers', async () => {
  expect(await gpuOf({ deviceBytes: 7, devices }, { layers: { onGpus: 6, total: 9 } })).toEqual({
    devices: [
      { name: 'CUDA0', size_vram: 5 },
      { name: 'CUDA1', size_vram: 2 },
    ],
    layers: 6,
    total_layers: 9,
  });
});

test('why there are fewer layers than planned', async () => {
  const loaded = { layers: { onGpus: 6, total: 9 }, reduced: 'there was no memory' };
  expect(await gpuOf({ devices }, loaded)).toMatchObject({ layers: 6, reduced: 'there was no memory' });
});
