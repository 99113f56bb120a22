// A model's manifest: its blobs and their media types.

import { type Digest, parseDigest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { isCount, isObject, parseJson } from '../../../base/json-values.ts';

export interface ManifestLayer {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  /** The model that the layer came from. */
  readonly from?: string;
}

export interface Manifest {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly config: ManifestLayer;
  readonly layers: readonly ManifestLayer[];
}

export const mediaTypes = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  model: 'application/vnd.ollama.image.model',
  adapter: 'application/vnd.ollama.image.adapter',
  /** Weights of a draft model. */
  draft: 'application/vnd.ollama.image.draft',
  projector: 'application/vnd.ollama.image.projector',
  template: 'application/vnd.ollama.image.template',
  /** Older media type of a template layer. */
  prompt: 'application/vnd.ollama.image.prompt',
  /** A Jinja template that replaces the one in the weights. Docker's artifacts have it; Ollama ignores it. */
  jinja: 'application/vnd.docker.ai.chat.template.jinja',
  system: 'application/vnd.ollama.image.system',
  license: 'application/vnd.ollama.image.license',
  params: 'application/vnd.ollama.image.params',
  messages: 'application/vnd.ollama.image.messages',
  /** The remote that runs the model, instead of weights. Only Hearth has it. */
  remote: 'application/vnd.hearth.image.remote',
  /** The engine that runs the model, and the checkpoint, instead of weights. Only Hearth has it. */
  engine: 'application/vnd.hearth.image.engine',
} as const;

/** The digests of all blobs of the model. */
export function digestsOf({ config, layers }: Manifest): Digest[] {
  return [config, ...layers].map(({ digest }) => digest);
}

/** The stored bytes; their digest is the model's. */
export function encodeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest)}\n`);
}

export function decodeManifest(bytes: Buffer): Manifest {
  const value = parseJson(bytes.toString('utf8'));
  if (!isObject(value)) throw damaged();
  // Ollama writes null for a model that runs on another host.
  const layers = value['layers'] ?? [];
  if (!Array.isArray(layers)) throw damaged();
  return {
    schemaVersion: 2,
    mediaType: String(value['mediaType'] ?? mediaTypes.manifest),
    config: decodeLayer(value['config']),
    layers: layers.map(decodeLayer),
  };
}

function decodeLayer(value: unknown): ManifestLayer {
  if (!isObject(value)) throw damaged();
  const { mediaType, digest, size, from } = value;
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !isCount(size)) throw damaged();
  return {
    mediaType,
    digest: parseDigest(digest),
    size,
    from: typeof from === 'string' ? from : undefined,
  };
}

function damaged(): HearthError {
  return new HearthError('store_damaged', 'a manifest in the store cannot be read');
}
