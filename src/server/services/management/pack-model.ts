// Packs a model as an OCI artifact of CNCF ModelPack. Its weights, adapters and licenses are the blobs of the store; what
// else it has is in a Modelfile next to them.

import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import type { ModelfileCommand } from '../../../formats/modelfile/modelfile.ts';
import { type ParameterValue, toParameterCommands } from '../../../formats/modelfile/parameters.ts';
import { printModelfile } from '../../../formats/modelfile/print-modelfile.ts';
import type { OpenModel } from '../../../inference/model/model.ts';
import type { ModelDetails } from '../../../models/details.ts';
import { formatModelName } from '../../../models/name.ts';
import { type ManifestLayer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { decodeModelConfig } from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import { readStoredModel } from '../models/open-model.ts';

const types = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  artifact: 'application/vnd.cncf.model.manifest.v1+json',
  config: 'application/vnd.cncf.model.config.v1+json',
  weights: 'application/vnd.cncf.model.weight.v1.raw',
  settings: 'application/vnd.cncf.model.weight.config.v1.raw',
  document: 'application/vnd.cncf.model.doc.v1.raw',
} as const;

interface PackedModel {
  /** The manifest. */
  readonly bytes: Buffer;
  /** Every blob, the config last. */
  readonly layers: readonly ManifestLayer[];
  /** Blobs that were written for the artifact. */
  readonly written: readonly Digest[];
}

/** How the files of the store's layers are called. Other layers are texts that the Modelfile has. */
const files: Readonly<Record<string, { readonly type: string; readonly name: string; readonly ending: string }>> = {
  [mediaTypes.model]: { type: types.weights, name: 'model', ending: '.gguf' },
  [mediaTypes.projector]: { type: types.weights, name: 'mmproj', ending: '.gguf' },
  [mediaTypes.adapter]: { type: types.weights, name: 'adapter', ending: '.gguf' },
  [mediaTypes.jinja]: { type: types.settings, name: 'chat_template', ending: '.jinja' },
  [mediaTypes.license]: { type: types.document, name: 'LICENSE', ending: '' },
};

interface NamedLayer extends ManifestLayer {
  readonly annotations: { readonly 'org.cncf.model.filepath': string };
}

/** Throws `unsupported` for a model that cannot be packed completely. */
export async function packModel(store: Store, stored: StoredModel): Promise<PackedModel> {
  const { manifest, name } = stored;
  const model = await readStoredModel(store, stored);
  if (model.files.kind !== 'local' || model.draft !== undefined)
    throw new HearthError(
      'unsupported',
      `${formatModelName(name)} has ${unpackable(model)}; ModelPack has no form for it`,
    );
  const named = nameLayers(manifest.layers);
  const modelfile = await store.putBlob(Buffer.from(modelfileOf(model, named)), types.settings);
  const layers = [...named, nameLayer(modelfile, types.settings, 'Modelfile')];
  const details = decodeModelConfig(await store.readBlob(manifest.config));
  const content = configOf(name.model, details, layers);
  const config = await store.putBlob(Buffer.from(JSON.stringify(content)), types.config);
  const packed = { schemaVersion: 2, mediaType: types.manifest, artifactType: types.artifact, config, layers };
  const unique = new Map([...layers, config].map((layer) => [layer.digest, layer]));
  return {
    bytes: Buffer.from(JSON.stringify(packed)),
    layers: [...unique.values()],
    written: [modelfile.digest, config.digest],
  };
}

function unpackable({ files: { kind } }: OpenModel): string {
  return kind !== 'local' ? 'no weights of its own' : 'a draft model';
}

function nameLayers(layers: readonly ManifestLayer[]): NamedLayer[] {
  const counts = new Map<string, number>();
  return layers.flatMap((layer) => {
    const file = files[layer.mediaType];
    if (file === undefined) return [];
    const count = (counts.get(file.name) ?? 0) + 1;
    counts.set(file.name, count);
    return [nameLayer(layer, file.type, `${file.name}${count === 1 ? '' : `-${count}`}${file.ending}`)];
  });
}

function nameLayer({ digest, size }: ManifestLayer, mediaType: string, path: string): NamedLayer {
  return { mediaType, digest, size, annotations: { 'org.cncf.model.filepath': path } };
}

/** Other tools can create the model from it. */
function modelfileOf(model: OpenModel, layers: readonly NamedLayer[]): string {
  const { template, system, parameters, messages, renderer, parser } = model;
  const weights = layers.filter(({ mediaType }) => mediaType === types.weights);
  const commands: ModelfileCommand[] = [
    ...weights.map(({ annotations }) => {
      const path = annotations['org.cncf.model.filepath'];
      return { kind: path.startsWith('adapter') ? ('adapter' as const) : ('from' as const), value: `./${path}` };
    }),
    ...(template === undefined ? [] : [{ kind: 'template' as const, value: template }]),
    ...(renderer === '' ? [] : [{ kind: 'renderer' as const, value: renderer }]),
    ...(parser === '' ? [] : [{ kind: 'parser' as const, value: parser }]),
    ...(system === '' ? [] : [{ kind: 'system' as const, value: system }]),
    ...toParameterCommands(parameters as Readonly<Record<string, ParameterValue>>),
    ...messages.map(({ role, content }) => ({ kind: 'message' as const, role: role as 'user', content })),
  ];
  return printModelfile({ commands });
}

function configOf(
  name: string,
  { family, parameterSize, quantizationLevel }: ModelDetails,
  layers: readonly NamedLayer[],
) {
  return {
    descriptor: { name, family: family || undefined },
    config: {
      format: 'gguf',
      paramSize: paramSizeOf(parameterSize),
      quantization: quantizationLevel || undefined,
    },
    modelfs: { type: 'layers', diffIds: layers.map(({ digest }) => digest) },
  };
}

/** At most one digit after the point, as the specification says. */
function paramSizeOf(size: string): string | undefined {
  const [, count, scale] = /^(\d+(?:\.\d+)?)([KMBTQ])$/i.exec(size) ?? [];
  return count === undefined || scale === undefined ? undefined : `${Number(Number(count).toFixed(1))}${scale}`;
}
