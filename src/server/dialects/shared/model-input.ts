// Converts the fields that every request for a loaded model has. All dialects convert them here.

import { HearthError } from '../../../base/errors.ts';
import { parseKeepAlive } from '../../../models/keep-alive.ts';
import { parseOptions } from '../../../models/options.ts';
import { parseRequestedModel } from '../../../models/requested-model.ts';
import type { ModelInput } from '../../services/generation/prepare-model.ts';

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
