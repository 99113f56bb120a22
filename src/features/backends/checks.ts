// Whether llama.cpp loads in a process of its own, as it does for every model, and which backend serves each device.

import { formatByteSize } from '../../cli/output/format.ts';
import type { MachineDescription, MachineDevice } from '../../inference/backends/describe-machine.ts';
import { type Check, type CheckFinding, ok, problem, warning } from '../check.ts';
import { describeUse } from './describe-use.ts';

const timeLimitMs = 35_000;

export const backendChecks: readonly Check[] = [
  { name: 'engine', timeLimitMs, run: async ({ describeMachine }) => [judgeEngine(await describeMachine())] },
  { name: 'devices', timeLimitMs, run: async ({ describeMachine }) => judgeDevices(await describeMachine()) },
];

const reinstall =
  'install Hearth again in the same way as before, with its optional dependencies (npm: `--include=optional`)';

const hints: readonly (readonly [failure: RegExp, nextStep: string])[] = [
  [/GLIBC|musl|ld-linux/, 'use a system with glibc 2.31 or later: the engine is not built for this C library'],
  [
    /did not respond|signal /,
    'try it with HEARTH_SANDBOX=false and HEARTH_BACKEND=cpu, and look at the driver of the GPU',
  ],
];

export function judgeEngine({ engine, backends }: Pick<MachineDescription, 'engine' | 'backends'>): CheckFinding {
  if (engine !== 'unknown') return ok(`llama.cpp loads (${engine})`);
  // The last one computes on the CPU, which every machine has.
  const failure = backends.at(-1)?.failure ?? 'no backend was tried';
  const nextStep = hints.find(([pattern]) => pattern.test(failure))?.[1] ?? reinstall;
  return problem(`llama.cpp does not load: ${failure}`, nextStep);
}

export function judgeDevices({ devices, backends }: Pick<MachineDescription, 'devices' | 'backends'>): CheckFinding[] {
  const isServed = devices.some(({ kind, backend }) => kind === 'gpu' && backend !== undefined);
  const isExplained = devices.some(({ nextStep }) => nextStep !== undefined);
  // A backend that fails does not matter if another one works, or if its device has a next step.
  const failed = isServed || isExplained ? [] : backends.filter(({ name, failure }) => name !== 'cpu' && failure);
  return [
    ok(describeUse(devices, backends)),
    ...devices.map(judgeDevice),
    ...failed.map(({ name, failure = '' }) =>
      warning(
        `the backend ${name} does not work: ${failure}`,
        `\`hearth backend remove ${name}\` if you do not need it`,
      ),
    ),
  ];
}

function judgeDevice({
  kind,
  name,
  cores,
  totalBytes,
  driver,
  backend,
  nextStep,
  faster,
}: MachineDevice): CheckFinding {
  if (kind === 'cpu') return ok(`${name}, ${cores ?? 0} cores`);
  const memory = totalBytes === 0 ? '' : `, ${formatByteSize(totalBytes)}`;
  const description = `${name}${memory}${driver === undefined ? '' : `, driver ${driver}`}`;
  if (faster !== undefined) return warning(`${description}, served by ${backend}, could be faster`, faster);
  if (backend !== undefined) return ok(`${description}, served by ${backend}`);
  return warning(`${description}, not used`, nextStep ?? '`hearth devices` shows the backends');
}
