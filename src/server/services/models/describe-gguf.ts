// The model details of a GGUF file.

import type { Gguf } from '../../../formats/gguf/read-gguf.ts';
import { fileTypeName, formatParameterCount, type ModelDetails } from '../../../models/details.ts';

export function describeGguf({ metadata, tensors }: Gguf): ModelDetails {
  const family = String(metadata.get('general.architecture') ?? 'unknown');
  const parameters = tensors.reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0);
  return {
    format: 'gguf',
    family,
    families: [family],
    parameterSize: formatParameterCount(parameters),
    quantizationLevel: fileTypeName(metadata.get('general.file_type')),
  };
}
