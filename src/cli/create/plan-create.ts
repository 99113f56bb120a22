// A Modelfile and the files that it names → the request that makes the model. The server never sees a path of this
// machine.

import { HearthError } from '../../base/errors.ts';
import type { Modelfile, ModelfileCommand } from '../../formats/modelfile/modelfile.ts';
import { parametersOf } from '../../formats/modelfile/parameters.ts';
import { printModelfile } from '../../formats/modelfile/print-modelfile.ts';
import { refuseNewer } from '../../formats/modelfile/refuse-newer.ts';
import type { CreateRequestBody } from '../../server/dialects/ollama/models/create-schema.ts';

/** Where the weights come from: models by name, files by their digests on the server. */
export type Origin =
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'blob'; readonly file: string; readonly digest: string };

export interface CreatePlan {
  readonly request: Omit<CreateRequestBody, 'model' | 'quantize'>;
  /** Sentences for whoever wrote the Modelfile. */
  readonly warnings: readonly string[];
}

export interface Origins {
  readonly from: readonly Origin[];
  readonly adapters: readonly Origin[];
}

export function planCreate(modelfile: Modelfile, origins: Origins): CreatePlan {
  refuseNewer(modelfile);
  const { values, withdrawn } = parametersOf(modelfile);
  const warnings = withdrawn.map((name) => `parameter ${name} no longer does anything and is left out`);
  const { from, adapters } = origins;
  if (adapters.some(({ kind }) => kind === 'model'))
    throw new HearthError('bad_request', 'ADAPTER must name a GGUF file');
  const models = from.filter((origin) => origin.kind === 'model');
  // A request with a field for each part can name a model or files, not both.
  if (from.length > 1 && models.length > 0)
    return { request: { modelfile: printModelfile(rewrite(modelfile, origins)) }, warnings };
  const template = textsOf(modelfile, 'template').at(-1);
  const system = textsOf(modelfile, 'system').at(-1);
  const license = textsOf(modelfile, 'license');
  const messages = modelfile.commands.flatMap((command) =>
    command.kind === 'message' ? [{ role: command.role, content: command.content }] : [],
  );
  const request = {
    ...(models[0]?.kind === 'model' ? { from: models[0].name } : { files: filesOf(from) }),
    ...(adapters.length === 0 ? {} : { adapters: filesOf(adapters) }),
    ...(template === undefined ? {} : { template }),
    ...(system === undefined ? {} : { system }),
    ...(license.length === 0 ? {} : { license }),
    ...(Object.keys(values).length === 0 ? {} : { parameters: { ...values } }),
    ...(messages.length === 0 ? {} : { messages }),
  };
  return { request, warnings };
}

export function textsOf({ commands }: Modelfile, kind: ModelfileCommand['kind']): string[] {
  return commands.flatMap((command) => (command.kind === kind && 'value' in command ? [command.value] : []));
}

function filesOf(origins: readonly Origin[]): Record<string, string> {
  return Object.fromEntries(
    origins.flatMap((origin) => (origin.kind === 'blob' ? [[origin.file, origin.digest] as const] : [])),
  );
}

function rewrite({ commands }: Modelfile, { from, adapters }: Origins): Modelfile {
  const line = (kind: 'from' | 'adapter') => (origin: Origin) => ({
    kind,
    value: origin.kind === 'model' ? origin.name : `@${origin.digest}`,
  });
  const rest = commands.filter(({ kind }) => kind !== 'from' && kind !== 'adapter');
  return { commands: [...from.map(line('from')), ...adapters.map(line('adapter')), ...rest] };
}
