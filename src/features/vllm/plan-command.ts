// The command that starts vLLM: its program, arguments and variables.

import { statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { HostedModelSource } from '../../inference/model/model-source.ts';
import type { EngineParameters } from '../../models/engine-parameters.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface VllmOrder {
  readonly source: Pick<HostedModelSource, 'checkpoint' | 'parameters'>;
  readonly servedModel: string;
  readonly port: number;
  readonly key: string;
  /** Whether it computes on GPUs. */
  readonly usesGpus: boolean;
  /** The setting: a program, a folder or a command. */
  readonly setting: string;
  readonly environment: Variables;
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Variables;
}

// Gibibytes of the KV cache in main memory.
const cacheVariable = 'VLLM_CPU_KVCACHE_SPACE';
const defaultCacheGib = '4';

export function planCommand(order: VllmOrder): Command {
  const { source, servedModel, port, key, usesGpus, setting, environment } = order;
  const [program = 'vllm', ...words] = findProgram(setting);
  const args = [
    ...words,
    'serve',
    source.checkpoint,
    '--host=127.0.0.1',
    `--port=${port}`,
    `--served-model-name=${servedModel}`,
    '--enable-prompt-tokens-details',
    '--disable-uvicorn-access-log',
    ...toArguments(source.parameters),
  ];
  const isFolder = isAbsolute(source.checkpoint);
  const own = {
    // Others could read it in the list of processes if it were an argument.
    VLLM_API_KEY: key,
    // Otherwise it has no routes to put it to sleep.
    ...(source.parameters['enable_sleep_mode'] === true ? { VLLM_SERVER_DEV_MODE: '1' } : {}),
    ...(isAbsolute(program) ? { PATH: [dirname(program), environment['PATH']].filter(Boolean).join(delimiter) } : {}),
  };
  const defaults = {
    VLLM_NO_USAGE_STATS: '1',
    NO_COLOR: '1',
    ...(isFolder ? { HF_HUB_OFFLINE: '1' } : {}),
    ...(usesGpus ? {} : { [cacheVariable]: defaultCacheGib }),
  };
  return { program, args, environment: { ...defaults, ...environment, ...own } };
}

/** The KV cache in main memory. */
export function cacheBytes(environment: Variables): number {
  return Number(environment[cacheVariable] ?? defaultCacheGib) * 2 ** 30;
}

/** The names of the parameters are those of the arguments, and their values were checked. */
function toArguments(parameters: EngineParameters): string[] {
  const args = Object.entries(parameters).map(([name, value]) => {
    const flag = name.replaceAll('_', '-');
    if (typeof value === 'boolean') return value ? `--${flag}` : `--no-${flag}`;
    return `--${flag}=${value}`;
  });
  return parameters['tool_call_parser'] === undefined ? args : [...args, '--enable-auto-tool-choice'];
}

/** Words of the command before `serve`. */
function findProgram(setting: string): readonly string[] {
  const text = setting.trim();
  if (text === '') return ['vllm'];
  const info = statSync(text, { throwIfNoEntry: false });
  if (info === undefined) return text.split(/\s+/);
  return [info.isDirectory() ? join(text, 'bin', 'vllm') : text];
}
