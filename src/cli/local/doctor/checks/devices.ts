// Devices: which backend serves each, and the next step for those that none serves.

import type { MachineDescription, MachineDevice } from '../../../../inference/backends/describe-machine.ts';
import { formatBytes } from '../../../output/format.ts';
import { type CheckFinding, defineCheck, ok, warning } from '../check.ts';

export type DeviceFacts = Pick<MachineDescription, 'devices' | 'backends'>;

export const devicesCheck = defineCheck<DeviceFacts>({
  name: 'devices',
  timeLimit: 35_000,
  gather: ({ describeMachine }) => describeMachine(),
  judge: judgeDevices,
});

export function judgeDevices({ devices, backends }: DeviceFacts): CheckFinding[] {
  const isServed = devices.some(({ kind, backend }) => kind === 'gpu' && backend !== undefined);
  const explained = devices.some(({ nextStep }) => nextStep !== undefined);
  // A backend before the one that works does not matter, and neither does one whose device has a next step.
  const failed = isServed || explained ? [] : backends.filter(({ name, failure }) => name !== 'cpu' && failure);
  return [
    ...devices.map(judgeDevice),
    ...failed.map(({ name, failure = '' }) =>
      warning(
        `the backend ${name} does not work: ${failure}`,
        `\`hearth backend remove ${name}\` if you do not need it`,
      ),
    ),
  ];
}

function judgeDevice({ kind, name, cores, totalBytes, driver, backend, nextStep }: MachineDevice): CheckFinding {
  if (kind === 'cpu') return ok(`${name}, ${cores ?? 0} cores`);
  const memory = totalBytes === 0 ? '' : `, ${formatBytes(totalBytes)}`;
  const description = `${name}${memory}${driver === undefined ? '' : `, driver ${driver}`}`;
  if (backend !== undefined) return ok(`${description}, served by ${backend}`);
  return warning(`${description}, not used`, nextStep ?? '`hearth devices` shows the backends');
}
