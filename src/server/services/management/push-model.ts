// Pushes a model to a registry: uploads the blobs that it does not have, and the manifest last. The model is pushed as it
// is in the store, or as an artifact of ModelPack.

import { type Digest, hexOf } from '../../../base/digest.ts';
import { HearthError, requestCanceled } from '../../../base/errors.ts';
import { type ModelName, parseModelName, type RequestedModel } from '../../../models/name.ts';
import { type Repository, toRepository } from '../../../models/registry-client/session/registry-address.ts';
import type { Manifest, ManifestLayer } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import { fileProgress, type ModelProgress } from './model-progress.ts';
import { packModel } from './pack-model.ts';
import type { ModelTransfer, TransferServices } from './pull-model.ts';

interface PushInput extends ModelTransfer {
  readonly format: 'ollama' | 'modelpack';
}

export type PushModel = (input: PushInput, signal: AbortSignal) => AsyncGenerator<ModelProgress>;

// Digits of a digest in status texts, as in Ollama.
const shortDigits = 12;

export function createPushModel({ store, registry, defaultRegistry }: TransferServices): PushModel {
  async function* pushLayers(
    layers: readonly ManifestLayer[],
    name: ModelName,
    target: { readonly repository: Repository; readonly signal: AbortSignal },
  ): AsyncGenerator<ModelProgress> {
    for (const layer of layers) {
      yield fileProgress('starting upload', layer, 0);
      const path = await store.locateBlob(layer.digest);
      const mountFrom = mountable(layer, name);
      const blob = { ...layer, path, mountFrom };
      for await (const completed of registry.pushBlob(target.repository, blob, target.signal))
        yield fileProgress(`pushing ${hexOf(layer.digest).slice(0, shortDigits)}`, layer, completed);
    }
  }

  return async function* pushModel({ model, insecure, format }, signal) {
    checkNamespace(model.text);
    const { name, text } = model;
    const repository = toRepository(name, { defaultRegistry, insecure, text });
    // Clients of push read the errors of a missing model in the stream, as those of a registry.
    yield { status: 'retrieving manifest' };
    const { bytes, layers, written } = await readPushed(store, model, format);
    const release = store.holdBlobs(layers.map(({ digest }) => digest));
    try {
      yield* pushLayers(layers, name, { repository, signal });
      yield { status: 'pushing manifest' };
      await registry.pushManifest({ repository, tag: name.tag, bytes, signal });
    } catch (error) {
      throw signal.aborted ? requestCanceled() : error;
    } finally {
      release();
      await store.discardBlobs(written);
    }
    yield { status: 'success' };
  };
}

function checkNamespace(text: string): void {
  if (text.replace(/^https?:\/\//, '').includes('/')) return;
  const message = `the name of a model to push must be <namespace>/<model>:<tag>; "${text}" has no namespace`;
  throw new HearthError('bad_request', message);
}

async function readPushed(
  store: Store,
  { name, text }: RequestedModel,
  format: PushInput['format'],
): Promise<{ bytes: Buffer; layers: readonly ManifestLayer[]; written: readonly Digest[] }> {
  const stored = await store.find(name);
  const bytes = stored && (await store.readManifest(stored.name));
  if (stored === undefined || bytes === undefined)
    throw new HearthError('model_not_found', `model '${text}' not found`);
  return format === 'modelpack' ? packModel(store, stored) : { bytes, layers: layersOf(stored.manifest), written: [] };
}

/** Every blob once, the config last. */
function layersOf({ config, layers }: Manifest): ManifestLayer[] {
  return [...new Map([...layers, config].map((layer) => [layer.digest, layer])).values()];
}

/** The repository in the same registry that the layer was taken from, if any. */
function mountable({ from }: ManifestLayer, target: ModelName): string | undefined {
  try {
    const { host, namespace, model } = parseModelName(from ?? '');
    const isOther = namespace !== target.namespace || model !== target.model;
    return host === target.host && isOther ? `${namespace}/${model}` : undefined;
  } catch {
    // `from` of a layer that was created from a file is a path.
    return undefined;
  }
}
