// The engines that a model can name with ENGINE, and the PARAMETER values that only such an engine has. The table is also the
// list of the arguments that a model may pass to it: none of them runs code or names a file.

import { HearthError } from '../base/errors.ts';

/** llama.cpp runs models that name no engine. */
export const engineNames = ['vllm'] as const;
export type EngineName = (typeof engineNames)[number];

/** An engine of another project. Files of Whisper models need no ENGINE. */
export type ProgramName = EngineName | 'whisper';

type EngineValue = number | boolean | string;
export type EngineParameters = Readonly<Record<string, EngineValue>>;

type EngineRow = { readonly help: string } & (
  | { readonly kind: 'count' }
  | { readonly kind: 'share' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'word' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
);

/** The names are those of the arguments of `vllm serve`, with underscores. */
export const engineParameterTable: Readonly<Record<string, EngineRow>> = {
  tensor_parallel_size: { kind: 'count', help: 'GPUs that share each layer.' },
  pipeline_parallel_size: { kind: 'count', help: 'Groups of GPUs that have different layers.' },
  data_parallel_size: { kind: 'count', help: 'Copies of the model that share the requests.' },
  distributed_executor_backend: { kind: 'choice', choices: ['mp', 'ray'], help: 'What starts the parts of the model.' },
  enable_expert_parallel: { kind: 'bool', help: 'Divide experts between GPUs instead of layers.' },
  dtype: {
    kind: 'choice',
    choices: ['auto', 'half', 'float16', 'bfloat16', 'float', 'float32'],
    help: 'The type of weights and activations.',
  },
  quantization: { kind: 'word', help: 'How the weights are quantized, if the checkpoint does not tell.' },
  kv_cache_dtype: { kind: 'word', help: 'The type of the KV cache, such as fp8.' },
  kv_cache_memory_bytes: { kind: 'count', help: 'Bytes of the KV cache on each GPU.' },
  max_model_len: { kind: 'count', help: 'The length of the context in tokens.' },
  max_num_seqs: { kind: 'count', help: 'Requests that are computed at the same time.' },
  max_num_batched_tokens: { kind: 'count', help: 'Tokens that are computed at the same time.' },
  gpu_memory_utilization: { kind: 'share', help: 'The share of the memory of each GPU that the engine takes.' },
  enable_sleep_mode: { kind: 'bool', help: 'Whether the model leaves the GPUs before its process is ended.' },
  enforce_eager: { kind: 'bool', help: 'Do not compile the model: a faster start, slower answers.' },
  tool_call_parser: { kind: 'word', help: 'What reads tool calls in answers, such as hermes.' },
  reasoning_parser: { kind: 'word', help: 'What reads thinking in answers, such as qwen3.' },
  runner: { kind: 'choice', choices: ['auto', 'generate', 'pooling'], help: 'Whether the model generates or embeds.' },
  convert: {
    kind: 'choice',
    choices: ['auto', 'none', 'embed', 'classify'],
    help: 'Use a model that generates for something else.',
  },
  revision: { kind: 'word', help: 'The version of a checkpoint that is named and not a folder.' },
};

const maxCount = 2 ** 40;
const maxNameLength = 2000;

export function isEngineName(text: string): text is EngineName {
  return (engineNames as readonly string[]).includes(text);
}

export function isEngineParameter(name: string): boolean {
  return Object.hasOwn(engineParameterTable, name);
}

/** What is wrong with the value; undefined if nothing is. */
function findFault(row: EngineRow, value: unknown): string | undefined {
  switch (row.kind) {
    case 'count':
      return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= maxCount
        ? undefined
        : 'a number from 1 on';
    case 'share':
      return typeof value === 'number' && value > 0 && value <= 1 ? undefined : 'a number above 0 and up to 1';
    case 'bool':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'word':
      return typeof value === 'string' && /^[A-Za-z0-9][\w./-]{0,99}$/.test(value) ? undefined : 'a word';
    case 'choice':
      return row.choices.some((choice) => choice === value) ? undefined : `one of ${row.choices.join(', ')}`;
  }
}

/** The parameters that only an engine has. Throws `bad_request` for a wrong value. */
export function engineParametersIn(parameters: Readonly<Record<string, unknown>>): EngineParameters {
  const found: Record<string, EngineValue> = {};
  for (const [name, row] of Object.entries(engineParameterTable)) {
    const value = parameters[name];
    if (value === undefined) continue;
    const expected = findFault(row, value);
    if (expected !== undefined) throw new HearthError('bad_request', `${name} must be ${expected}`);
    found[name] = value as EngineValue;
  }
  return found;
}

/** The value of a PARAMETER line. Undefined if the text is not one. */
export function parseEngineParameter(name: string, text: string): EngineValue | undefined {
  const row = engineParameterTable[name];
  if (row === undefined) return undefined;
  const value = toValue(row, text);
  return value !== undefined && findFault(row, value) === undefined ? value : undefined;
}

function toValue({ kind }: EngineRow, text: string): EngineValue | undefined {
  if (kind === 'bool') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (kind === 'count' || kind === 'share') return /^[\d.]{1,20}$/.test(text) ? Number(text) : undefined;
  return text;
}

/** A name that an engine resolves itself, such as `Qwen/Qwen3-8B`. */
export function isCheckpointName(text: string): boolean {
  return text.length <= maxNameLength && /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?$/.test(text);
}
