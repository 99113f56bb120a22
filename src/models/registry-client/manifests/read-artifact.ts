// Recognizes models that other tools packed as OCI artifacts, by the media types of their config and layers. Names and
// types come from a registry and are not trusted.
//
//   Docker       config application/vnd.docker.ai.model.config.v0.1+json (or v0.2), one file per layer, such as
//                application/vnd.docker.ai.gguf.v3
//   ModelPack    config application/vnd.cncf.model.config.v1+json, layers application/vnd.cncf.model.<content>.v1.<packing>;
//                "cnai" instead of "cncf" before 2025

import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';

type ArtifactRole =
  /** GGUF or safetensors files, also image encoders. */
  | 'weights'
  | 'adapter'
  /** Files next to the weights: config.json, the tokenizer, a Modelfile. */
  | 'settings'
  | 'template'
  | 'license'
  | 'documents';

type Packing = 'raw' | 'tar' | 'tar+gzip' | 'tar+zstd';

interface ContentLayer {
  readonly digest: Digest;
  readonly size: number;
}

export interface ArtifactLayer extends ContentLayer {
  readonly role: ArtifactRole;
  readonly packing: Packing;
  /** The name of the file of a raw layer; empty if the artifact does not say it. */
  readonly path: string;
}

export interface Artifact {
  readonly config: ContentLayer;
  readonly layers: readonly ArtifactLayer[];
  /** Media types of the other layers, each once. */
  readonly skipped: readonly string[];
}

/** A layer of a manifest, as it is. */
export interface TypedLayer extends ContentLayer {
  readonly mediaType: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

interface Kind {
  readonly role: ArtifactRole;
  readonly packing: Packing;
}

const dockerPrefix = 'application/vnd.docker.ai.';
const dockerKinds: Readonly<Record<string, Kind>> = {
  'gguf.v3': { role: 'weights', packing: 'raw' },
  'gguf.v3.lora': { role: 'adapter', packing: 'raw' },
  'gguf.v3.mmproj': { role: 'weights', packing: 'raw' },
  mmproj: { role: 'weights', packing: 'raw' },
  safetensors: { role: 'weights', packing: 'raw' },
  'model.file': { role: 'settings', packing: 'raw' },
  'vllm.config.tar': { role: 'settings', packing: 'tar' },
  'dir.tar': { role: 'settings', packing: 'tar' },
  'chat.template.jinja': { role: 'template', packing: 'raw' },
  license: { role: 'license', packing: 'raw' },
};

const modelPackPrefix = /^application\/vnd\.(?:cncf|cnai)\.model\./;
const modelPackRoles: Readonly<Record<string, ArtifactRole>> = {
  weight: 'weights',
  'weight.config': 'settings',
  doc: 'documents',
};
const packings: Readonly<Record<string, Packing>> = {
  raw: 'raw',
  // Docker writes these two.
  gguf: 'raw',
  safetensors: 'raw',
  tar: 'tar',
  'tar+gzip': 'tar+gzip',
  'tar+zstd': 'tar+zstd',
};
const filePath = /^org\.(?:cncf|cnai)\.model\.filepath$/;

/** Undefined for a model of Ollama's format. Throws `unsupported` for an artifact that is no model, or that cannot be used. */
export function readArtifact(config: TypedLayer, layers: readonly TypedLayer[]): Artifact | undefined {
  const isDocker = config.mediaType.startsWith(`${dockerPrefix}model.config.`);
  const isModelPack = modelPackPrefix.test(config.mediaType);
  if (!isDocker && !isModelPack) {
    if (layers.length > 0 && layers.every(({ mediaType }) => containerLayer.test(mediaType)))
      throw new HearthError('unsupported', 'this is a container image, not a model');
    return undefined;
  }
  const known: ArtifactLayer[] = [];
  const skipped = new Set<string>();
  for (const layer of layers) {
    const { mediaType, digest, size } = layer;
    const kind = kindOf(mediaType);
    if (kind === undefined) skipped.add(shownType(mediaType));
    else known.push({ digest, size, ...kind, path: pathOf(layer) });
  }
  if (!known.some(({ role }) => role === 'weights')) throw noWeights([...skipped]);
  return { config, layers: known, skipped: [...skipped] };
}

const containerLayer = /^application\/vnd\.(?:docker\.image\.rootfs|oci\.image\.layer)\./;

function kindOf(mediaType: string): Kind | undefined {
  if (mediaType.startsWith(dockerPrefix)) {
    const name = mediaType.slice(dockerPrefix.length);
    return Object.hasOwn(dockerKinds, name) ? dockerKinds[name] : undefined;
  }
  const [, content = '', ending = ''] = /\.model\.([a-z.]+)\.v1\.([a-z+]+)$/.exec(mediaType) ?? [];
  if (!modelPackPrefix.test(mediaType) || !Object.hasOwn(modelPackRoles, content)) return undefined;
  const role = modelPackRoles[content] as ArtifactRole;
  if (Object.hasOwn(packings, ending)) return { role, packing: packings[ending] as Packing };
  // Without these weights, the model is not complete.
  if (role === 'weights') throw unsupportedPacking(mediaType);
  return undefined;
}

function pathOf({ annotations }: TypedLayer): string {
  const path = Object.entries(annotations).find(([name]) => filePath.test(name))?.[1];
  return typeof path === 'string' ? path : '';
}

const maxShown = 100;

function shownType(mediaType: string): string {
  return mediaType.replace(/[^\w.+/;= -]/g, '?').slice(0, maxShown);
}

function unsupportedPacking(mediaType: string): HearthError {
  const message = `the weights of this model are packed as ${shownType(mediaType)}; raw, tar, tar+gzip and tar+zstd can be read`;
  return new HearthError('unsupported', message);
}

function noWeights(types: readonly string[]): HearthError {
  const found = types.length === 0 ? '' : `; its layers are ${types.slice(0, 5).join(', ')}`;
  return new HearthError('unsupported', `this artifact has no weights in GGUF or safetensors format${found}`);
}
