// `hearth doctor` in this process: reads the settings, runs the checks, and removes secrets from what they say.

import { homedir } from 'node:os';
import { childEnvironment } from '../../../base/config/child-environment.ts';
import { type Environment, loadUsableSettings } from '../../../base/config/load-settings.ts';
import type { Settings } from '../../../base/config/settings.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createAskEngine } from '../../../inference/backends/ask-engine.ts';
import { createBackends } from '../../../inference/backends/backends.ts';
import type { MachineDescription } from '../../../inference/backends/describe-machine.ts';
import { packageFiles } from '../../../server/compose/package-files.ts';
import type { CheckLine } from '../../doctor/doctor-report.ts';
import { createRedactor, findSecrets } from '../../output/redact.ts';
import { askRegistry } from './ask-registry.ts';
import type { DoctorContext } from './check.ts';
import { checkTable } from './check-table.ts';
import { runChecks } from './run-checks.ts';

export interface DiagnoseOptions {
  readonly environment: Environment;
  readonly version: string;
  readonly packageFolder: string;
  readonly signal: AbortSignal;
}

export async function* diagnose(options: DiagnoseOptions): AsyncGenerator<CheckLine> {
  const { environment } = options;
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const { settings, problems } = loadUsableSettings({ environment, flags: {}, onWarning });
  const redact = createRedactor({ home: homedir(), secrets: findSecrets(environment, settings) });
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const context = createContext({ ...options, signal }, { settings, problems, warnings });
  try {
    for await (const line of runChecks({ checks: checkTable, context, signal }))
      yield {
        ...line,
        text: redact(line.text),
        ...(line.nextStep === undefined ? {} : { nextStep: redact(line.nextStep) }),
      };
  } finally {
    ended.abort();
  }
}

interface LoadedSettings {
  readonly settings: Settings;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

function createContext(
  { environment, version, packageFolder, signal }: DiagnoseOptions,
  { settings, problems, warnings }: LoadedSettings,
): DoctorContext {
  return {
    settings,
    settingProblems: problems,
    settingWarnings: warnings,
    environment,
    version,
    packageFolder,
    clock: systemClock,
    describeMachine: once(() => describeThisMachine(settings, { environment, packageFolder, signal })),
    askRegistry: once(() => askRegistry({ settings, environment, version, clock: systemClock, signal })),
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** As a server would see it. */
function describeThisMachine(
  settings: Settings,
  { environment, packageFolder, signal }: Pick<DiagnoseOptions, 'environment' | 'packageFolder' | 'signal'>,
): Promise<MachineDescription> {
  const { describer, launcher } = packageFiles(packageFolder);
  const variables = childEnvironment(environment);
  const childSettings = { environment: variables, ...(settings.sandbox ? { launcher } : {}) };
  return createBackends({
    build: settings.backend,
    folder: settings.backends,
    askEngine: createAskEngine({ script: describer, childSettings, clock: systemClock }),
    environment: { ...variables, PATH: environment['PATH'] },
    signal,
  }).describe();
}
