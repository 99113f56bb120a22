// Error messages of commands, with the next step where there is one.

import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import type { HearthClient } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import { nearestModel } from '../../models/nearest-model.ts';
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

type ListingClient = Pick<HearthClient, 'list'>;

/** Adds the next step to the error if the call fails because the model is missing. */
export async function withModelHint<T>(
  client: ListingClient,
  model: string,
  call: Promise<T>,
  next: NextStep = 'pull',
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isModelMissing(error) ? await modelMissing(client, model, next) : error;
  }
}

export async function modelMissing(
  client: ListingClient,
  model: string,
  next: NextStep = 'pull',
): Promise<HearthError> {
  const name = safeText(model);
  const nearest = await nearestInstalled(client, model);
  const step = next === 'pull' ? `try \`hearth pull ${name}\`` : '`hearth list` shows the installed models';
  const hint = nearest === undefined ? `: ${step}` : `. Did you mean '${safeText(nearest)}'?`;
  return new HearthError('model_not_found', `model '${name}' not found${hint}`);
}

/** The installed model that a mistyped name means. Undefined if there is none, and if the server does not say. */
export async function nearestInstalled(client: ListingClient, model: string): Promise<string | undefined> {
  try {
    const { models } = await client.list();
    return nearestModel(
      model,
      models.map(({ name }) => name),
    );
  } catch {
    return undefined;
  }
}
