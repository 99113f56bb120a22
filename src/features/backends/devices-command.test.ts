import { expect, test } from 'vitest';
import { formatDevices } from './devices-command.ts';

const cpu = { kind: 'cpu', name: 'Some CPU', cores: 4, total: 8e9, free: 4e9, backend: 'cpu' } as const;
const gpu = {
  kind: 'gpu',
  name: 'Some GPU',
  total: 24e9,
  free: 0,
  driver: '580.1',
  compute_capability: '8.9',
} as const;

test('devices, backends that do not work, and next steps', () => {
  const devices = [cpu, { ...gpu, next_step: 'hearth backend add cuda' }];
  const backends = [{ name: 'vulkan', failure: 'no loader\u0007' }, { name: 'cpu' }];
  expect(formatDevices({ engine: 'e', devices, backends })).toBe(
    [
      'DEVICE    NAME                 MEMORY    FREE    DRIVER    CAPABILITY    BACKEND',
      'cpu       Some CPU, 4 cores    8 GB      4 GB                            cpu',
      'gpu       Some GPU             24 GB             580.1     8.9           none',
      '',
      'Models are computed by the CPU.',
      'The backend vulkan does not work: no loader',
      'Some GPU is not used. Next step: hearth backend add cuda',
      '',
    ].join('\n'),
  );
});

test('without problems, a line says what is used', () => {
  const text = formatDevices({ engine: 'e', devices: [cpu], backends: [{ name: 'cpu' }] });
  expect(text.trimEnd().split('\n').slice(2)).toEqual(['', 'Models are computed by the CPU.']);
});

test('a GPU that could be faster', () => {
  const devices = [cpu, { ...gpu, backend: 'cuda-ext', faster: 'update the driver' }];
  const text = formatDevices({ engine: 'e', devices, backends: [{ name: 'vision-cuda' }, { name: 'cuda-ext' }] });
  expect(text.trimEnd().split('\n').slice(-2)).toEqual([
    'Models are computed by cuda-ext on Some GPU, images are encoded by vision-cuda.',
    'Some GPU could be faster. Next step: update the driver',
  ]);
});
