// Fetches the manifest of a model from a registry, byte for byte.

import { arch, platform } from 'node:process';
import { type Digest, digestOf } from '../../../base/digest.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { withDeadline } from '../http/deadline.ts';
import { maxManifest, maxManifestAttempts, responseTimeout } from '../http/limits.ts';
import { isPermanentNetworkError } from '../http/network-error.ts';
import { readBoundedBody, toResponseError } from '../http/read-response.ts';
import { registryFailure, retryUntilDone } from '../http/retry.ts';
import type { RegistrySession } from '../session/registry-session.ts';
import { chooseEntry, parseRemoteManifest, type RemoteLayer } from './parse-manifest.ts';
import type { Artifact } from './read-artifact.ts';

export interface FetchedManifest {
  readonly bytes: Buffer;
  readonly layers: readonly RemoteLayer[];
  /** If another tool packed the model. */
  readonly artifact?: Artifact;
}

interface FetchManifestInput {
  readonly session: RegistrySession;
  readonly tag: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export const manifestTypes = {
  docker: 'application/vnd.docker.distribution.manifest.v2+json',
  oci: 'application/vnd.oci.image.manifest.v1+json',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  ociIndex: 'application/vnd.oci.image.index.v1+json',
} as const;

/** Throws `model_not_found` if the registry has no such model. */
export async function fetchManifest(input: FetchManifestInput): Promise<FetchedManifest> {
  const bytes = await fetchWithRetries(input, input.tag);
  const manifest = parseRemoteManifest(bytes);
  if (manifest.kind === 'manifest') return { bytes, layers: manifest.layers, artifact: manifest.artifact };
  const { digest } = chooseEntry(manifest.entries, thisPlatform);
  const inner = await fetchWithRetries(input, digest);
  if (digestOf(inner) !== digest) throw wrongDigest(digest, digestOf(inner));
  const chosen = parseRemoteManifest(inner);
  if (chosen.kind === 'index') throw new HearthError('registry_invalid_response', 'invalid manifest: nested index');
  return { bytes: inner, layers: chosen.layers, artifact: chosen.artifact };
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
const thisPlatform = `${platform === 'win32' ? 'windows' : platform}/${architectures[arch] ?? arch}`;

async function fetchWithRetries({ session, clock, signal }: FetchManifestInput, reference: string): Promise<Buffer> {
  let bytes: Buffer | undefined;
  await retryUntilDone({ clock, signal, maxAttempts: maxManifestAttempts }, async () => {
    const deadline = { clock, milliseconds: responseTimeout, signal, what: 'the manifest' };
    try {
      bytes = await withDeadline(deadline, (limited) => fetchOnce(session, reference, limited));
      return true;
    } catch (error) {
      // The user waits for this request: a wrong name should not take minutes.
      throw isPermanentNetworkError(error) ? registryFailure(messageOf(error), { final: true }) : error;
    }
  });
  return bytes as Buffer;
}

async function fetchOnce(session: RegistrySession, reference: string, signal: AbortSignal): Promise<Buffer> {
  const headers = { accept: Object.values(manifestTypes).join(', ') };
  const response = await session.send({ method: 'GET', target: `manifests/${reference}`, headers, signal });
  if (response.status === 404) {
    response.drop();
    throw new HearthError('model_not_found', 'file does not exist');
  }
  if (response.status !== 200) {
    const { origin } = session.repository.registry;
    throw await toResponseError(response, { what: new URL(origin).host, origin });
  }
  const bytes = await readBoundedBody(response, maxManifest, 'a manifest');
  const announced = response.header('docker-content-digest');
  // Headers and bytes of another host are not quoted.
  if (announced?.startsWith('sha256:') && announced !== digestOf(bytes))
    throw new HearthError('registry_invalid_response', 'the manifest does not match its digest');
  return bytes;
}

function wrongDigest(want: string, got: Digest): HearthError {
  return new HearthError(
    'registry_invalid_response',
    `the manifest does not match its digest: want ${want}, got ${got}`,
  );
}
