// Error messages of commands, with the next step where there is one.

import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import { ClientError } from '../../client/client-error.ts';
import { safeText } from './format.ts';

/** The message without "Error:". */
export function explain(thrown: unknown): string {
  if (thrown instanceof ClientError && thrown.kind === 'unreachable')
    return `${thrown.message}: start one with \`hearth serve\`, or set HEARTH_HOST to its address`;
  if (thrown instanceof ClientError && thrown.kind === 'foreign')
    return safeText(`${thrown.message}: stop that program, or choose another address with HEARTH_HOST`);
  if (thrown instanceof ClientError && thrown.code === 'unauthorized')
    return safeText(`${thrown.message} (set HEARTH_API_KEY, or write the key to ~/.hearth/credentials)`);
  return safeText(isFileError(thrown) ? `${thrown.path}: ${describeSystemError(thrown)}` : messageOf(thrown));
}

function isFileError(thrown: unknown): thrown is { readonly path: string } {
  return systemCodeOf(thrown) !== undefined && typeof (thrown as { readonly path?: unknown }).path === 'string';
}

/** Whether the server reports that it has no such model. */
export function isModelMissing(thrown: unknown): boolean {
  if (!(thrown instanceof ClientError) || thrown.kind !== 'refused') return false;
  if (thrown.code !== undefined) return thrown.code === 'model_not_found';
  // Ollama sends no codes, and answers unknown paths with 404 too. An error in a stream has no status.
  return (thrown.status ?? 404) === 404 && /^model ['"].+['"] not found/.test(thrown.message);
}

type NextStep = 'pull' | 'list';

/** Adds the next step to the error if the call fails because the model is missing. */
export async function withModelHint<T>(model: string, call: Promise<T>, next: NextStep = 'pull'): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isModelMissing(error) ? modelMissing(model, next) : error;
  }
}

export function modelMissing(model: string, next: NextStep = 'pull'): HearthError {
  const name = safeText(model);
  const step = next === 'pull' ? `try \`hearth pull ${name}\`` : '`hearth list` shows the installed models';
  return new HearthError('model_not_found', `model '${name}' not found: ${step}`);
}
