// What lists, show and ps say about a model, on the wire.

import type { ModelDetails } from '../../../../models/details.ts';

export interface ModelDetailsBody {
  readonly parent_model: string;
  readonly format: string;
  readonly family: string;
  readonly families: readonly string[] | null;
  readonly parameter_size: string;
  readonly quantization_level: string;
}

export function toDetailsBody(details: ModelDetails, parentModel = ''): ModelDetailsBody {
  return {
    parent_model: parentModel,
    format: details.format,
    family: details.family,
    families: details.families,
    parameter_size: details.parameterSize,
    quantization_level: details.quantizationLevel,
  };
}
