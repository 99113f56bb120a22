// Builds the create request from a Modelfile and its uploaded files. Local paths are never sent to the server.

import { HearthError } from '../../base/errors.ts';
import type { Modelfile, ModelfileCommand } from '../../formats/modelfile/modelfile.ts';
import { parametersOf } from '../../formats/modelfile/parameters.ts';
import { printModelfile } from '../../formats/modelfile/print-modelfile.ts';
import type { EngineName } from '../../models/engine-parameters.ts';
import type { CreateRequestBody } from '../../server/dialects/ollama/models/create-schema.ts';

/** A source after the upload: a model by name, or a file by its digest on the server. */
export type Origin =
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'blob'; readonly file: string; readonly digest: string };

interface CreatePlan {
  readonly request: Omit<CreateRequestBody, 'model' | 'quantize'>;
  /** Messages for the user. */
  readonly warnings: readonly string[];
}

interface Origins {
  readonly from: readonly Origin[];
  readonly adapters: readonly Origin[];
  /** The last one counts. */
  readonly drafts: readonly Origin[];
}

/** `engine`: what runs the model instead of llama.cpp. */
export function planCreate(modelfile: Modelfile, origins: Origins, engine?: EngineName): CreatePlan {
  const { values, deprecated } = parametersOf(modelfile);
  const warnings = deprecated.map((name) => `parameter ${name} is deprecated and ignored`);
  const { from, adapters, drafts } = origins;
  if (adapters.some(({ kind }) => kind === 'model'))
    throw new HearthError('bad_request', 'ADAPTER must name a file or a folder');
  const models = from.filter((origin) => origin.kind === 'model');
  const hasCheckpoint = (all: readonly Origin[]): boolean =>
    all.some((origin) => origin.kind === 'blob' && origin.file.endsWith('.safetensors'));
  if (from.length > 1 && models.length > 0 && (hasCheckpoint(from) || hasCheckpoint(adapters)))
    throw new HearthError('bad_request', 'a model and files in safetensors format need separate Modelfiles');
  // The fields of the request can name a model or files, not both.
  if (from.length > 1 && models.length > 0)
    return { request: { modelfile: printModelfile(rewrite(modelfile, origins)) }, warnings };
  const template = textsOf(modelfile, 'template').at(-1);
  const system = textsOf(modelfile, 'system').at(-1);
  const renderer = textsOf(modelfile, 'renderer').at(-1);
  const parser = textsOf(modelfile, 'parser').at(-1);
  const license = textsOf(modelfile, 'license');
  const messages = modelfile.commands.flatMap((command) =>
    command.kind === 'message' ? [{ role: command.role, content: command.content }] : [],
  );
  const request = {
    ...(models[0]?.kind === 'model' ? { from: models[0].name } : { files: filesOf(from) }),
    ...(adapters.length === 0 ? {} : { adapters: filesOf(adapters) }),
    ...toDraftField(drafts.at(-1)),
    ...(template === undefined ? {} : { template }),
    ...(system === undefined ? {} : { system }),
    ...(renderer === undefined ? {} : { renderer }),
    ...(parser === undefined ? {} : { parser }),
    engine,
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

function toDraftField(draft: Origin | undefined): Pick<CreateRequestBody, 'draft' | 'draft_files'> {
  if (draft === undefined) return {};
  return draft.kind === 'model' ? { draft: draft.name } : { draft_files: filesOf([draft]) };
}

function rewrite({ commands }: Modelfile, { from, adapters, drafts }: Origins): Modelfile {
  const line = (kind: 'from' | 'adapter' | 'draft') => (origin: Origin) => ({
    kind,
    value: origin.kind === 'model' ? origin.name : `@${origin.digest}`,
  });
  const rewritten: ReadonlySet<string> = new Set(['from', 'adapter', 'draft']);
  const rest = commands.filter(({ kind }) => !rewritten.has(kind));
  return {
    commands: [...from.map(line('from')), ...adapters.map(line('adapter')), ...drafts.map(line('draft')), ...rest],
  };
}
