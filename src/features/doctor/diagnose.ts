// Reads the settings, runs all checks, and removes secrets from what they say.

import { homedir } from 'node:os';
import { childEnvironment } from '../../base/config/child-environment.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createRedactor, findSecrets } from '../../cli/output/redact.ts';
import { createAskEngine } from '../../inference/backends/ask-engine.ts';
import { createBackends } from '../../inference/backends/backends.ts';
import type { MachineDescription } from '../../inference/backends/describe-machine.ts';
import { packageFiles } from '../../server/compose/package-files.ts';
import { loadUsableSettings } from '../../settings/load-settings.ts';
import type { Check, CheckContext } from '../check.ts';
import { askRegistry } from './ask-registry.ts';
import { machineChecks } from './machine-checks.ts';
import { networkChecks } from './network-checks.ts';
import type { CheckLine } from './report.ts';
import { runChecks } from './run-checks.ts';
import { storageChecks } from './storage-checks.ts';

interface Diagnosis {
  readonly version: string;
  readonly packageFolder: string;
  /** Checks of other features. */
  readonly checks: readonly Check[];
  readonly signal: AbortSignal;
}

export async function* diagnose({ version, packageFolder, checks, signal }: Diagnosis): AsyncGenerator<CheckLine> {
  const environment = processEnvironment;
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const { settings, problems } = loadUsableSettings({ environment, flags: {}, onWarning });
  const redact = createRedactor({ home: homedir(), secrets: findSecrets(environment, settings) });
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const known = { settings, environment, version, packageFolder, clock: systemClock };
  const context: CheckContext = {
    ...known,
    settingProblems: problems,
    settingWarnings: warnings,
    describeMachine: once(() => describeMachine(known, stop)),
    askRegistry: once(() => askRegistry(known, stop)),
  };
  const table = [...machineChecks, ...storageChecks, ...checks, ...networkChecks];
  try {
    for await (const { nextStep, ...line } of runChecks(table, context, stop))
      yield { ...line, text: redact(line.text), nextStep: nextStep === undefined ? undefined : redact(nextStep) };
  } finally {
    ended.abort();
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** As a server would see it. */
function describeMachine(
  { settings, environment, packageFolder }: Pick<CheckContext, 'settings' | 'environment' | 'packageFolder'>,
  signal: AbortSignal,
): Promise<MachineDescription> {
  const { describer, launcher } = packageFiles(packageFolder);
  const variables = childEnvironment(environment);
  const childSettings = { environment: variables, launcher: settings.sandbox ? launcher : undefined };
  return createBackends({
    build: settings.backend,
    folder: settings.backends,
    askEngine: createAskEngine({ script: describer, childSettings, clock: systemClock }),
    environment: { ...variables, PATH: environment['PATH'] },
    signal,
  }).describe();
}
