// What went wrong, as a sentence with the next step.

import { HearthError, messageOf } from '../base/errors.ts';
import { ClientError } from '../client/client-error.ts';
import { safeText } from './output/format.ts';

/** One line or a few, without "Error:". */
export function explain(thrown: unknown): string {
  if (thrown instanceof ClientError && thrown.kind === 'unreachable')
    return `${thrown.message}: start one with \`hearth serve\`, or say where it is with HEARTH_HOST`;
  const missing = isModelMissing(thrown) ? /model ['"](.+?)['"] not found/.exec(messageOf(thrown))?.[1] : undefined;
  return missing === undefined ? safeText(messageOf(thrown)) : modelMissing(missing).message;
}

/** Whether the server says that there is no such model. */
export function isModelMissing(thrown: unknown): boolean {
  if (!(thrown instanceof ClientError) || thrown.kind !== 'refused') return false;
  // In the middle of a stream there is no status any more.
  return (thrown.status ?? 404) === 404 && /^model ['"].+['"] not found/.test(thrown.message);
}

export type NextStep = 'pull' | 'list';

/** The call, with "not found" told as something that can be helped. */
export async function withModel<T>(model: string, call: Promise<T>, next: NextStep = 'pull'): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isModelMissing(error) ? modelMissing(model, next) : error;
  }
}

export function modelMissing(model: string, next: NextStep = 'pull'): HearthError {
  const name = safeText(model);
  const step = next === 'pull' ? `try \`hearth pull ${name}\`` : '`hearth list` shows what there is';
  return new HearthError('model_not_found', `model '${name}' not found: ${step}`);
}
