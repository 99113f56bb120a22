// The model that a command names. A model that the server does not have is pulled.

import { HearthError } from '../../base/errors.ts';
import { isCancelled } from '../../client/client-error.ts';
import { localTextOf, parsePackageReference } from '../../models/package-reference.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import type { CliContext } from '../command.ts';
import { explain, isModelMissing, nearestInstalled } from '../output/explain.ts';
import { safeText } from '../output/format.ts';
import { askYesOrNo, canAsk } from './ask-for-model.ts';
import { pullModel } from './pull-model.ts';

export interface FoundModel {
  /** The name on the server. */
  readonly model: string;
  readonly facts: ShowResponseBody;
}

/** `given` is the name of a model, or of a package that contains one. */
export async function findModel(context: CliContext, given: string, { insecure = false } = {}): Promise<FoundModel> {
  const reference = parsePackageReference(given);
  const model = reference === undefined ? given : localTextOf(reference);
  const client = await context.connect();
  const show = (): Promise<ShowResponseBody> => client.show({ model }, context.signal);
  try {
    return { model, facts: await show() };
  } catch (error) {
    if (!isModelMissing(error)) throw error;
    const nearest = reference === undefined ? await nearestInstalled(client, given) : undefined;
    if (nearest !== undefined && (await isMeant(context, given, nearest)))
      return { model: nearest, facts: await client.show({ model: nearest }, context.signal) };
    await pullMissing(context, given, insecure);
    return { model, facts: await show() };
  }
}

/** Asks before a registry gets a mistyped name. */
async function isMeant({ terminal, signal }: CliContext, given: string, nearest: string): Promise<boolean> {
  const [name, other] = [safeText(given), safeText(nearest)];
  if (canAsk(terminal))
    return askYesOrNo({ terminal, signal }, `There is no model '${name}' here. Did you mean '${other}'?`);
  const message = `model '${name}' not found. Did you mean '${other}'? If not, run \`hearth pull ${name}\` first`;
  throw new HearthError('model_not_found', message);
}

async function pullMissing(context: CliContext, model: string, insecure: boolean): Promise<void> {
  try {
    await pullModel(context, { model, insecure });
  } catch (error) {
    if (isCancelled(error)) throw error;
    const message = `model '${safeText(model)}' not found, and pulling it failed: ${explain(error)}. \`hearth list\` lists the available models`;
    throw new HearthError('model_not_found', message, { cause: error });
  }
}
