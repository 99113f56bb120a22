// A model's config blob: what kind of model it is. The first blob of every manifest.

import type { Digest } from '../../../base/digest.ts';
import type { ModelDetails } from '../../details.ts';

export function encodeModelConfig(details: ModelDetails, layers: readonly Digest[]): Buffer {
  const config = {
    model_format: details.format,
    model_family: details.family,
    model_families: details.families,
    model_type: details.parameterSize,
    file_type: details.quantizationLevel,
    // Constants of the format; they say nothing about this machine.
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: layers },
  };
  return Buffer.from(JSON.stringify(config));
}

/** What is missing or of the wrong kind is empty: a list of models must not fail because of one of them. */
export function decodeModelConfig(bytes: Buffer): ModelDetails {
  const config = parseObject(bytes.toString('utf8'));
  const text = (key: string): string => (typeof config[key] === 'string' ? config[key] : '');
  const families = config['model_families'];
  return {
    format: text('model_format'),
    family: text('model_family'),
    families: Array.isArray(families) ? families.map(String) : null,
    parameterSize: text('model_type'),
    quantizationLevel: text('file_type'),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
