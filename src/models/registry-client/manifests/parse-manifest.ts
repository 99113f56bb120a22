// Parses manifests from registries: a security boundary, because digests become file names and sizes become disk space.
//
//   manifest = { config: layer, layers: [layer …] }            of Docker and OCI alike
//   layer    = { mediaType, digest, size, annotations? }
//   index    = { manifests: [{ digest, size, platform? } …] }

import { type Digest, parseDigest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { isCount, isObject, parseJson } from '../../../base/json-values.ts';
import { maxIndexEntries, maxLayer, maxLayers, maxManifest } from '../http/limits.ts';
import { type Artifact, readArtifact, type TypedLayer } from './read-artifact.ts';

export interface RemoteLayer {
  readonly digest: Digest;
  readonly size: number;
}

interface RemoteManifest {
  readonly kind: 'manifest';
  /** The layers in order, then the config; each digest once. */
  readonly layers: readonly RemoteLayer[];
  /** If another tool packed the model; the layers then are not those of a model in the store. */
  readonly artifact?: Artifact;
}

interface IndexEntry extends RemoteLayer {
  /** `<os>/<architecture>`; empty if not given. */
  readonly platform: string;
}

/** Throws `registry_invalid_response`, and `unsupported` for an artifact that is no model. */
export function parseRemoteManifest(
  bytes: Buffer,
): RemoteManifest | { readonly kind: 'index'; readonly entries: readonly IndexEntry[] } {
  const value = parseJson(bytes.toString('utf8'));
  if (value === undefined) throw invalidManifest('not JSON');
  if (!isObject(value)) throw invalidManifest('not an object');
  if (Array.isArray(value['manifests'])) return { kind: 'index', entries: parseEntries(value['manifests']) };
  const { layers, config } = value;
  if (!Array.isArray(layers)) throw invalidManifest('no layers');
  if (layers.length > maxLayers) throw invalidManifest(`more than ${maxLayers} layers`);
  const all = withoutRepeats([...layers, config].map(parseLayer));
  return { kind: 'manifest', layers: all, artifact: readArtifact(parseTyped(config), layers.map(parseTyped)) };
}

function parseEntries(values: readonly unknown[]): IndexEntry[] {
  if (values.length > maxIndexEntries) throw invalidManifest(`an index of more than ${maxIndexEntries} manifests`);
  return values.map((value) => {
    const layer = parseLayer(value);
    if (layer.size > maxManifest) throw invalidManifest(`an index entry of ${layer.size} bytes`);
    return { ...layer, platform: platformOf(value as Record<string, unknown>) };
  });
}

function platformOf(value: Record<string, unknown>): string {
  const { platform } = value;
  if (!isObject(platform)) return '';
  return `${String(platform['os'])}/${String(platform['architecture'])}`;
}

function parseLayer(value: unknown): RemoteLayer {
  if (!isObject(value)) throw invalidManifest('a layer is not an object');
  const { digest, size } = value;
  // Only the canonical form: this text becomes a path later.
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw invalidManifest('a layer has an invalid digest');
  if (!isCount(size)) throw invalidManifest(`the size of ${digest} is invalid`);
  if (size > maxLayer) throw invalidManifest(`the size of ${digest} is ${size}, over the limit`);
  return { digest: parseDigest(digest), size };
}

function parseTyped(value: unknown): TypedLayer {
  const { mediaType, annotations } = value as Record<string, unknown>;
  return {
    ...parseLayer(value),
    mediaType: typeof mediaType === 'string' ? mediaType : '',
    annotations: isObject(annotations) ? annotations : {},
  };
}

function withoutRepeats(layers: readonly RemoteLayer[]): RemoteLayer[] {
  const sizes = new Map<Digest, number>();
  for (const { digest, size } of layers) {
    if ((sizes.get(digest) ?? size) !== size) throw invalidManifest(`${digest} has two sizes`);
    sizes.set(digest, size);
  }
  return [...sizes].map(([digest, size]) => ({ digest, size }));
}

function invalidManifest(reason: string): HearthError {
  return new HearthError('registry_invalid_response', `invalid manifest: ${reason}`);
}

/** Prefers the entry for this platform. Models do not depend on the platform, so any other entry works too. */
export function chooseEntry(entries: readonly IndexEntry[], platform: string): IndexEntry {
  const known = entries.filter((entry) => entry.platform !== 'unknown/unknown');
  const chosen = known.find((entry) => entry.platform === platform) ?? known[0] ?? entries[0];
  if (chosen === undefined) throw invalidManifest('an empty index');
  return chosen;
}
