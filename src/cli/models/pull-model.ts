// Pulls a model and shows the progress.

import { HearthError } from '../../base/errors.ts';
import { parseModelName } from '../../models/name.ts';
import { parsePackageReference } from '../../models/package-reference.ts';
import type { CliContext, OptionSpec } from '../command.ts';
import { isModelMissing } from '../output/explain.ts';
import { safeLine } from '../output/format.ts';

export const insecureOption: OptionSpec = {
  flags: '--insecure',
  help: 'Connect to the registry without TLS; only for registries that you trust',
};

interface ModelToPull {
  readonly model: string;
  readonly insecure: boolean;
  /** For the model of a package. */
  readonly as?: string;
}

/** Shows progress on standard error. */
export async function pullModel(context: CliContext, { model, insecure, as }: ModelToPull): Promise<void> {
  const { connect, terminal, clock, signal } = context;
  const { followStatuses } = await import('../progress/show-progress.ts');
  const client = await connect();
  const request = { model, insecure: insecure || undefined, as };
  try {
    await followStatuses(client.pull(request, signal), { screen: terminal.stderr, clock });
  } catch (error) {
    // The message about a package is complete.
    const isPackage = parsePackageReference(model) !== undefined;
    throw isModelMissing(error) && !isPackage ? notInRegistry(model, error) : error;
  }
}

function notInRegistry(model: string, cause: unknown): HearthError {
  const { tag } = parseModelName(model);
  const message = `the registry has no model '${safeLine(model)}' with the tag '${tag}': check the name and the tag`;
  return new HearthError('model_not_found', message, { cause });
}
