// Validates pushed manifests before they are stored, because every client that pulls receives them.

import { lstat } from 'node:fs/promises';
import { asObject, isCount, isObject, parseJson } from '../../base/json-values.ts';
import { mediaTypes } from '../../models/store/manifests/manifest.ts';
import type { Store } from '../../models/store/store.ts';
import { registryServerLimits } from './limits.ts';
import { protocolError } from './protocol-error.ts';
import { parseWireDigest } from './repository-name.ts';

export const ociManifestType = 'application/vnd.oci.image.manifest.v1+json';
const maxMediaType = 255;

/** Throws a protocol error unless every blob of the manifest is in the store with the stated size. */
export async function checkManifest(store: Store, bytes: Buffer, contentType: string | undefined): Promise<void> {
  const value = parseObject(bytes);
  checkType(value, contentType);
  const layers = value['layers'];
  if (!Array.isArray(layers)) throw invalid('it has no layers');
  if (layers.length > registryServerLimits.layers)
    throw invalid(`it has more than ${registryServerLimits.layers} layers`);
  for (const part of [value['config'], ...layers].map(parsePart)) await checkPart(store, part);
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(value)) return value;
  } catch {
    // Same error as below.
  }
  throw invalid('it is not a JSON object');
}

function checkType(value: Record<string, unknown>, contentType: string | undefined): void {
  const sent = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const type = value['mediaType'] ?? ociManifestType;
  if (value['schemaVersion'] !== 2) throw invalid('its schemaVersion is not 2');
  if ('manifests' in value) throw invalid('it is an index of manifests, which is not supported');
  if (type !== mediaTypes.manifest && type !== ociManifestType) throw invalid('its mediaType is not a manifest type');
  if (sent !== undefined && sent !== type) throw invalid('its mediaType does not match the Content-Type');
}

function parsePart(value: unknown) {
  if (!isObject(value)) throw invalid('a layer is not an object');
  const { mediaType, digest, size } = value;
  if (typeof mediaType !== 'string' || mediaType === '' || mediaType.length > maxMediaType)
    throw invalid('a layer has no mediaType');
  if (typeof digest !== 'string') throw invalid('a layer has no digest');
  if (!isCount(size)) throw invalid('a layer has no size');
  // Clients that pull would be sent to another host.
  if ('urls' in value) throw invalid('a layer has external URLs');
  return { digest: parseWireDigest(digest), size };
}

type Part = ReturnType<typeof parsePart>;

async function checkPart(store: Store, { digest, size }: Part): Promise<void> {
  if (!(await store.hasBlob(digest)))
    throw protocolError('MANIFEST_BLOB_UNKNOWN', `the manifest refers to ${digest}, which was not uploaded`);
  const info = await lstat(store.blobPath(digest));
  if (info.size !== size) throw invalid(`the size of ${digest} is ${info.size}, not ${size}`);
}

/** The media type of a stored manifest. Only OCI manifests may omit it. */
export function manifestTypeOf(bytes: Buffer): string {
  const { mediaType } = asObject(parseJson(bytes.toString('utf8')));
  return mediaType === mediaTypes.manifest ? mediaTypes.manifest : ociManifestType;
}

function invalid(reason: string): Error {
  return protocolError('MANIFEST_INVALID', `invalid manifest: ${reason}`);
}
