// Converts the fields that every request for a loaded model has. All dialects convert them here.

import { HearthError } from '../../../base/errors.ts';
import { parseKeepAlive } from '../../../models/keep-alive.ts';
import { parseOptions } from '../../../models/options.ts';
import { parseRequestedModel } from '../../../models/requested-model.ts';
import type { ModelInput } from '../../services/generation/prepare-model.ts';
import { optionAliases, topLevelOptions } from './common-fields-schema.ts';

export interface ModelFields {
  readonly model?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly keep_alive?: unknown;
}

/** `emptyIsUnknown`: an empty name is an unknown model, as in Ollama's generate and embed. */
export function toModelInput(
  { model = '', options = {}, keep_alive }: ModelFields,
  { emptyIsUnknown = false }: { readonly emptyIsUnknown?: boolean } = {},
): ModelInput {
  if (emptyIsUnknown && model.trim() === '') throw new HearthError('model_not_found', "model '' not found");
  return {
    model: parseRequestedModel(model),
    options: parseOptions(options),
    keepAlive: keep_alive === undefined ? undefined : parseKeepAlive(keep_alive),
  };
}

/** Tools of kinds that only other servers have, as names of fields without effect. */
export function toolsWithoutFunction(
  tools: readonly { readonly type?: string; readonly function?: object }[] = [],
): string[] {
  return toolTypes(tools.filter((tool) => tool.function === undefined).map(({ type = 'unknown' }) => type));
}

export function toolTypes(types: readonly string[]): string[] {
  return types.map((type) => `tools.${type}`);
}

/** The options in the fields of a request, with those in its `options`, which do not count as much. */
export function readOptionFields(body: Pick<ModelFields, 'options'>): Record<string, unknown> {
  const fields = body as Readonly<Record<string, unknown>>;
  const options: Record<string, unknown> = { ...body.options };
  for (const [alias, name] of Object.entries(optionAliases))
    if (fields[alias] !== undefined) options[name] = fields[alias];
  for (const name of topLevelOptions) if (fields[name] !== undefined) options[name] = fields[name];
  return options;
}
