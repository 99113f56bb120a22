// Packs models as OCI artifacts, as the specifications of Docker and of ModelPack say, and uploads them to a registry. Does
// not use the code under test.

import { digestOf, uploadBlob } from './registry-content.ts';

export interface PackedLayer {
  readonly mediaType: string;
  readonly content: Uint8Array;
  readonly annotations?: Readonly<Record<string, string>>;
}

const ociManifest = 'application/vnd.oci.image.manifest.v1+json';

export const docker = {
  config: (config: object) => ({
    mediaType: 'application/vnd.docker.ai.model.config.v0.1+json',
    content: Buffer.from(JSON.stringify({ config: { format: 'gguf', ...config }, descriptor: {}, files: [] })),
  }),
  layer: (type: string, content: Uint8Array): PackedLayer => ({
    mediaType: `application/vnd.docker.ai.${type}`,
    content,
  }),
};

export const modelPack = {
  config: (layers: readonly PackedLayer[]) => ({
    mediaType: 'application/vnd.cncf.model.config.v1+json',
    content: Buffer.from(
      JSON.stringify({
        descriptor: { name: 'test' },
        config: { format: 'gguf', paramSize: '10.0M' },
        modelfs: { type: 'layers', diffIds: layers.map(({ content }) => digestOf(content)) },
      }),
    ),
  }),
  layer: (type: string, content: Uint8Array, path?: string): PackedLayer => ({
    mediaType: `application/vnd.cncf.model.${type}`,
    content,
    ...(path === undefined ? {} : { annotations: { 'org.cncf.model.filepath': path } }),
  }),
};

export interface ArtifactToPush {
  readonly config: PackedLayer;
  readonly layers: readonly PackedLayer[];
  readonly artifactType?: string;
}

/** Returns the manifest. */
export async function uploadArtifact(
  url: string,
  repository: string,
  { config, layers, artifactType }: ArtifactToPush,
  tag = 'latest',
): Promise<Buffer> {
  for (const { content } of [...layers, config]) await uploadBlob(url, repository, content);
  const describe = ({ mediaType, content, annotations }: PackedLayer) => ({
    mediaType,
    digest: digestOf(content),
    size: content.byteLength,
    annotations,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: ociManifest,
      artifactType,
      config: describe(config),
      layers: layers.map(describe),
    }),
  );
  await putManifest(url, `${repository}/manifests/${tag}`, manifest, ociManifest);
  return manifest;
}

/** An index of manifests for several platforms. */
export async function uploadIndex(
  url: string,
  repository: string,
  entries: readonly { readonly platform: string; readonly manifest: Buffer }[],
): Promise<void> {
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const manifests = entries.map(({ platform, manifest }) => {
    const [os, architecture] = platform.split('/');
    return {
      mediaType: ociManifest,
      digest: digestOf(manifest),
      size: manifest.length,
      platform: { os, architecture },
    };
  });
  const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
  await putManifest(url, `${repository}/manifests/latest`, index, mediaType);
}

async function putManifest(url: string, path: string, body: Buffer, type: string): Promise<void> {
  const headers = { 'content-type': type };
  const response = await fetch(`${url}/v2/${path}`, { method: 'PUT', headers, body: new Uint8Array(body) });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
}
