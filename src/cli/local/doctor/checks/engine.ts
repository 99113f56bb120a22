// The engine: whether llama.cpp loads in a process of its own, as it does for every model.

import type { MachineDescription } from '../../../../inference/backends/describe-machine.ts';
import { type CheckFinding, defineCheck, ok, problem } from '../check.ts';

export type EngineFacts = Pick<MachineDescription, 'engine' | 'backends'>;

export const engineCheck = defineCheck<EngineFacts>({
  name: 'engine',
  timeLimit: 35_000,
  gather: ({ describeMachine }) => describeMachine(),
  judge: judgeEngine,
});

const reinstall =
  'install Hearth again with its optional dependencies: `npm install -g hearth-server --include=optional`';

const hints: readonly (readonly [failure: RegExp, nextStep: string])[] = [
  [/GLIBC|musl|ld-linux/, 'use a system with glibc 2.31 or later: the engine is not built for this C library'],
  [
    /did not respond|signal /,
    'try it with HEARTH_SANDBOX=false and HEARTH_BACKEND=cpu, and look at the driver of the GPU',
  ],
];

export function judgeEngine({ engine, backends }: EngineFacts): CheckFinding[] {
  if (engine !== 'unknown') return [ok(`llama.cpp loads (${engine})`)];
  // The last one computes on the CPU, which every machine has.
  const failure = backends.at(-1)?.failure ?? 'no backend was tried';
  const nextStep = hints.find(([pattern]) => pattern.test(failure))?.[1] ?? reinstall;
  return [problem(`llama.cpp does not load: ${failure}`, nextStep)];
}
