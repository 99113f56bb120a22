// The devices of the machine. Asking takes processes, so callers at the same time share one answer, which stays valid
// for a moment.

import type { Clock } from '../../../base/time/clock.ts';
import type { MachineDescription } from '../../../inference/backends/describe-machine.ts';

export type { MachineDescription } from '../../../inference/backends/describe-machine.ts';

export type ListDevices = () => Promise<MachineDescription>;

interface ListDevicesOptions {
  readonly describe: () => Promise<MachineDescription>;
  readonly clock: Clock;
}

const validMs = 2000;

export function createListDevices({ describe, clock }: ListDevicesOptions): ListDevices {
  let current: Promise<MachineDescription> | undefined;
  const forget = (): void => {
    current = undefined;
  };
  return () => {
    if (current !== undefined) return current;
    const answer = describe();
    current = answer;
    answer.then(() => void clock.after(validMs, forget), forget);
    return answer;
  };
}
