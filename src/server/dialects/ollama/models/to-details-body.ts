// The details of a model in wire format.

import type { ModelDetails } from '../../../../models/details.ts';
import type { ModelDetailsBody } from './details-schema.ts';

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
