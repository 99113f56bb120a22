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
      'The backend vulkan does not work: no loader',
      'Some GPU is not used. Next step: hearth backend add cuda',
      '',
    ].join('\n'),
  );
});

test('without problems there is only the table', () => {
  const text = formatDevices({ engine: 'e', devices: [cpu], backends: [{ name: 'cpu' }] });
  expect(text.trimEnd().split('\n')).toHaveLength(2);
});
