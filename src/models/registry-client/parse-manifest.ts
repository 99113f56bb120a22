// Manifests as libraries send them: a security border. Of what is in them, digests become file names and sizes become
// room on the disk.
//
//   manifest = { config: layer, layers: [layer …] }            of Docker and OCI alike
//   layer    = { mediaType, digest, size }
//   index    = { manifests: [{ digest, size, platform? } …] }

import { type Digest, parseDigest } from '../../base/digest.ts';
import { HearthError } from '../../base/errors.ts';
import { maxIndexEntries, maxLayer, maxLayers, maxManifest } from './limits.ts';

export interface RemoteLayer {
  readonly digest: Digest;
  readonly size: number;
}

export interface RemoteManifest {
  readonly kind: 'manifest';
  /** Layers in their order, the config behind them; each digest once. */
  readonly layers: readonly RemoteLayer[];
}

export interface RemoteIndex {
  readonly kind: 'index';
  readonly entries: readonly IndexEntry[];
}

export interface IndexEntry extends RemoteLayer {
  /** `<os>/<architecture>`; empty where it does not say. */
  readonly platform: string;
}

/** Throws `library_lied`. */
export function parseRemoteManifest(bytes: Buffer): RemoteManifest | RemoteIndex {
  const value = parseJson(bytes);
  if (Array.isArray(value['manifests'])) return { kind: 'index', entries: parseEntries(value['manifests']) };
  const { layers, config } = value;
  if (!Array.isArray(layers)) throw lie('it has no layers');
  if (layers.length > maxLayers) throw lie(`it has more than ${maxLayers} layers`);
  return { kind: 'manifest', layers: withoutRepeats([...layers, config].map(parseLayer)) };
}

function parseEntries(values: readonly unknown[]): IndexEntry[] {
  if (values.length > maxIndexEntries) throw lie(`it is a list of more than ${maxIndexEntries} manifests`);
  return values.map((value) => {
    const layer = parseLayer(value);
    if (layer.size > maxManifest) throw lie(`one of its manifests has ${layer.size} bytes`);
    return { ...layer, platform: platformOf(value as Record<string, unknown>) };
  });
}

function platformOf(value: Record<string, unknown>): string {
  const { platform } = value;
  if (!isRecord(platform)) return '';
  return `${String(platform['os'])}/${String(platform['architecture'])}`;
}

function parseLayer(value: unknown): RemoteLayer {
  if (!isRecord(value)) throw lie('a layer is not an object');
  const { digest, size } = value;
  // Exactly as it is written everywhere: what is looked at here is what becomes a path later.
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest)) throw lie('a layer has no proper digest');
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw lie(`the size of ${digest} is no number of bytes`);
  if ((size as number) > maxLayer) throw lie(`${digest} is said to have ${String(size)} bytes, which cannot be`);
  return { digest: parseDigest(digest), size: size as number };
}

function withoutRepeats(layers: readonly RemoteLayer[]): RemoteLayer[] {
  const sizes = new Map<Digest, number>();
  for (const { digest, size } of layers) {
    if ((sizes.get(digest) ?? size) !== size) throw lie(`${digest} has two sizes`);
    sizes.set(digest, size);
  }
  return [...sizes].map(([digest, size]) => ({ digest, size }));
}

function parseJson(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw lie('it is not JSON');
  }
  if (!isRecord(value)) throw lie('it is not an object');
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lie(what: string): HearthError {
  return new HearthError('registry_invalid_response', `the manifest cannot be used: ${what}`);
}

/** The one for this machine; for models, which run everywhere, any other will do. */
export function chooseEntry(entries: readonly IndexEntry[], platform: string): IndexEntry {
  const real = entries.filter((entry) => entry.platform !== 'unknown/unknown');
  const chosen = real.find((entry) => entry.platform === platform) ?? real[0] ?? entries[0];
  if (chosen === undefined) throw lie('it is an empty list');
  return chosen;
}
