// Uploads models to a registry without the code under test.

import { createHash } from 'node:crypto';

export interface RemoteModel {
  readonly manifest: Buffer;
  readonly digests: readonly string[];
}

export const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** A manifest of these layers with an empty config. */
export function manifestOf(layers: readonly Uint8Array[], config: Uint8Array = Buffer.from('{}')): Buffer {
  const layer = (content: Uint8Array, mediaType: string) => ({
    mediaType,
    digest: digestOf(content),
    size: content.byteLength,
  });
  // Unusual whitespace: the bytes must be kept unchanged.
  return Buffer.from(
    JSON.stringify(
      {
        schemaVersion: 2,
        mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
        config: layer(config, 'application/vnd.docker.container.image.v1+json'),
        layers: layers.map((content) => layer(content, 'application/vnd.ollama.image.model')),
      },
      null,
      3,
    ),
  );
}

/** Uses the registry's API. */
export async function uploadModel(
  url: string,
  repository: string,
  layers: readonly Uint8Array[],
): Promise<RemoteModel> {
  const config = Buffer.from('{}');
  for (const content of [...layers, config]) await uploadBlob(url, repository, content);
  const manifest = manifestOf(layers, config);
  const response = await fetch(`${url}/v2/${repository}/manifests/latest`, {
    method: 'PUT',
    headers: { 'content-type': 'application/vnd.docker.distribution.manifest.v2+json' },
    body: new Uint8Array(manifest),
  });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return { manifest, digests: [...layers, config].map(digestOf) };
}

export async function uploadBlob(url: string, repository: string, content: Uint8Array): Promise<void> {
  const begun = await fetch(`${url}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
  const location = new URL(begun.headers.get('location') ?? '', url);
  location.searchParams.set('digest', digestOf(content));
  const done = await fetch(location, { method: 'PUT', body: new Uint8Array(content) });
  if (done.status !== 201) throw new Error(`${done.status}: ${await done.text()}`);
}
