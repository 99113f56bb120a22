// Puts a vLLM to sleep and wakes it up. While it sleeps, its weights are in main memory, and its KV cache is gone.

import { HearthError } from '../../base/errors.ts';
import { asObject, parseJson } from '../../base/json-values.ts';
import { askLocal } from './ask-local.ts';

interface Address {
  readonly url: string;
  readonly key: string;
}

// Weights are copied meanwhile.
const timeoutMs = 120_000;

/** A vLLM answers before all parts of it sleep or are awake, or although some ignore the request, so it is asked afterwards. */
export async function setAsleep({ url, key }: Address, isAsleep: boolean): Promise<void> {
  const path = isAsleep ? '/sleep?level=1' : '/wake_up';
  const { status } = await askLocal(`${url}${path}`, key, { method: 'POST', timeoutMs });
  if (status !== 200) throw new HearthError('runner_died', `vLLM answers ${path} with status ${status}`);
  const { body } = await askLocal(`${url}/is_sleeping`, key);
  if (asObject(parseJson(body))['is_sleeping'] === isAsleep) return;
  throw new HearthError('runner_died', `vLLM does not ${isAsleep ? 'sleep' : 'wake up'}`);
}

/** Whether a start has failed because this vLLM, or its platform, cannot sleep. */
export function isSleepRefused(error: unknown): boolean {
  return (
    error instanceof Error &&
    /sleep mode is not supported|enable[-_]sleep[-_]mode|cumem allocator is not/i.test(error.message)
  );
}
