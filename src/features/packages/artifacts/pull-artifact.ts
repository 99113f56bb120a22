// Pulls a model that Docker or a ModelPack tool packed as an OCI artifact: downloads its layers, unpacks archives, and
// creates a model from the files. Until then an existing model of that name is not changed.

import type { Digest } from '../../../base/digest.ts';
import { HearthError, requestCanceled, toHearthError } from '../../../base/errors.ts';
import { formatModelName, type ModelName } from '../../../models/name.ts';
import type { PackageOrigin } from '../../../models/package-origin.ts';
import type { RemoteLayer } from '../../../models/registry-client/manifests/parse-manifest.ts';
import type { ArtifactLayer } from '../../../models/registry-client/manifests/read-artifact.ts';
import type { RegistryClient } from '../../../models/registry-client/registry-client.ts';
import type { Store } from '../../../models/store/store.ts';
import type { CreateModel } from '../../../server/services/create/create-model.ts';
import { createHeldBlobs, type HeldBlobs } from '../../../server/services/create/held-blobs.ts';
import { isComplete, readOrigin } from '../../../server/services/create/installed-package.ts';
import type { ArtifactPull, PullArtifact } from '../../../server/services/management/artifact-pull.ts';
import { requireDiskSpace } from '../../../server/services/management/disk-space.ts';
import { fileProgress, type ModelProgress } from '../../../server/services/management/model-progress.ts';
import { type ArtifactFiles, collectFiles, settingTexts } from './collect-files.ts';

interface ArtifactServices {
  readonly store: Store;
  readonly registry: RegistryClient;
  readonly createModel: CreateModel;
}

export function createPullArtifact(services: ArtifactServices): PullArtifact {
  const { store } = services;
  return async function* pullArtifact(input, signal) {
    const { name, artifact, digest } = input;
    const origin: PackageOrigin = { package: repositoryOf(name), version: name.tag, digest, path: '' };
    if (await isUpToDate(store, name, origin)) {
      yield { status: `${formatModelName(name)}: up to date` };
      return yield { status: 'success' };
    }
    for (const type of artifact.skipped) yield { status: `skipping layers of the type ${type}` };
    const held = createHeldBlobs(store);
    try {
      const layers = neededLayers(artifact.layers);
      await checkSpace(store, layers);
      yield* download(services, [...layers, artifact.config], { ...input, held, signal });
      yield { status: 'verifying sha256 digest' };
      const files = yield* collectFiles({ layers, config: artifact.config }, { store, held, signal });
      yield* createFrom(services, { ...input, origin, files }, signal);
    } catch (error) {
      throw signal.aborted ? requestCanceled() : error;
    } finally {
      await held.release();
    }
    yield { status: 'success' };
  };
}

interface DownloadOptions extends Pick<ArtifactPull, 'repository'> {
  readonly held: HeldBlobs;
  readonly signal: AbortSignal;
}

async function* download(
  { store, registry }: ArtifactServices,
  layers: readonly RemoteLayer[],
  { repository, held, signal }: DownloadOptions,
): AsyncGenerator<ModelProgress> {
  const written: Digest[] = [];
  for (const layer of layers) {
    held.hold(layer.digest);
    if (!(await store.hasBlob(layer.digest))) written.push(layer.digest);
    for await (const completed of registry.fetchBlob(repository, layer, signal))
      yield fileProgress(`downloading ${layer.digest}`, layer, completed);
  }
  // Not earlier: an interrupted pull continues with what it has.
  for (const digest of written) held.holdResult(digest);
}

/** As in a model name, without the tag. */
function repositoryOf(name: ModelName): string {
  return formatModelName(name).slice(0, -(name.tag.length + 1));
}

async function isUpToDate(store: Store, name: ModelName, { digest }: PackageOrigin): Promise<boolean> {
  const stored = await store.find(name).catch(() => undefined);
  if (stored === undefined) return false;
  const origin = await readOrigin(store, stored).catch(() => undefined);
  return origin?.digest === digest && (await isComplete(store, stored));
}

// Documents are read for licenses.
const maxDocumentBytes = 4 * 2 ** 20;

/** Settings belong to weights in safetensors format, or are texts that replace those in the weights; documents may be licenses. */
function neededLayers(layers: readonly ArtifactLayer[]): ArtifactLayer[] {
  const isGguf = ({ path, packing }: ArtifactLayer): boolean => packing === 'raw' && /\.gguf$/i.test(path);
  const weights = layers.filter(({ role }) => role === 'weights');
  const needsSettings = !weights.every(isGguf);
  return layers.filter(({ role, path, size }) => {
    if (role === 'settings') return needsSettings || settingTexts.has(path);
    return role !== 'documents' || size <= maxDocumentBytes;
  });
}

/** An archive needs the space twice while it is unpacked. */
async function checkSpace(store: Store, layers: readonly ArtifactLayer[]): Promise<void> {
  let needed = 0;
  for (const { digest, size, packing } of layers) {
    if (!(await store.hasBlob(digest))) needed += size - (await store.partialBytes(digest, size));
    if (packing !== 'raw') needed += size;
  }
  await requireDiskSpace(store, needed);
}

interface CollectedArtifact extends ArtifactPull {
  readonly origin: PackageOrigin;
  readonly files: ArtifactFiles;
}

async function* createFrom(
  { createModel }: ArtifactServices,
  { name, origin, files }: CollectedArtifact,
  signal: AbortSignal,
): AsyncGenerator<ModelProgress> {
  const fields = { from: '', ...files, files: toRecord(files.files), adapters: toRecord(files.adapters) };
  const recipe = { modelfile: '', path: '', fields, localFiles: false, quantization: undefined };
  try {
    for await (const progress of createModel({ name, ...recipe, origin }, signal)) {
      if (progress.status !== 'success') yield progress;
    }
  } catch (error) {
    const { code, message } = toHearthError(error);
    // The files are not the caller's.
    throw code === 'bad_request' ? new HearthError('unsupported', `${formatModelName(name)}: ${message}`) : error;
  }
}

function toRecord(files: ReadonlyMap<string, Digest>): Record<string, Digest> {
  return Object.fromEntries(files);
}
