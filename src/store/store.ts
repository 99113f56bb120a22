// The store: models on disk.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Digest, digestOf, digestOfFile, hexOf } from '../kernel/digest.ts';
import { HearthError, systemCodeOf } from '../kernel/errors.ts';
import { type ModelName, parseModelName } from '../model/name.ts';
import { adoptFile, writeDurably } from './durable-file.ts';
import { createLayout } from './layout.ts';
import { decodeManifest, encodeManifest, type Layer, type Manifest } from './manifest.ts';

export interface StoredModel {
  readonly name: ModelName;
  readonly manifest: Manifest;
  /** Hex digest of the manifest as it is stored. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface Store {
  /** All models whose manifests can be read. */
  list(): Promise<StoredModel[]>;
  /** Undefined when there is no such model. Case does not matter. */
  find(name: ModelName): Promise<StoredModel | undefined>;
  blobPath(digest: Digest): string;
  readBlob(layer: Layer): Promise<Buffer>;
  putBlob(content: Uint8Array, mediaType: string): Promise<Layer>;
  /** Takes over a file whose digest is known; throws `store_damaged` when the file has another. */
  adoptBlob(path: string, digest: Digest, mediaType: string): Promise<Layer>;
  putManifest(name: ModelName, manifest: Manifest): Promise<void>;
  /** Small notes that Hearth keeps beside the models. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, text: string): Promise<void>;
}

// Texts and settings; weights are never read whole.
const largestReadableBlob = 16 * 2 ** 20;

export function createStore(root: string): Store {
  const layout = createLayout(root);

  const exists = async (path: string): Promise<boolean> => (await orMissing(stat(path))) !== undefined;

  const read = async (name: ModelName): Promise<StoredModel | undefined> => {
    const path = layout.manifest(name);
    const bytes = await orMissing(readFile(path));
    if (bytes === undefined) return undefined;
    const { mtimeMs } = await stat(path);
    return { name, manifest: decodeManifest(bytes), digest: hexOf(digestOf(bytes)), modifiedAt: mtimeMs };
  };

  /** The name with the spelling that the folders have. */
  const settleCase = async (name: ModelName): Promise<ModelName | undefined> => {
    let folder = layout.manifests;
    const spelled: string[] = [];
    for (const part of [name.host, name.namespace, name.model, name.tag]) {
      const entries = (await orMissing(readdir(folder))) ?? [];
      const match =
        entries.find((entry) => entry === part) ?? entries.find((entry) => entry.toLowerCase() === part.toLowerCase());
      if (match === undefined) return undefined;
      spelled.push(match);
      folder = join(folder, match);
    }
    const [host = '', namespace = '', model = '', tag = ''] = spelled;
    return { host, namespace, model, tag };
  };

  return {
    async list() {
      const names = await listNames(layout.manifests);
      const models = await Promise.all(names.map((name) => read(name).catch(() => undefined)));
      return models.filter((model) => model !== undefined);
    },
    async find(name) {
      const settled = await settleCase(name);
      return settled && read(settled);
    },
    blobPath: layout.blob,
    async readBlob({ digest }) {
      const path = layout.blob(digest);
      const info = await orMissing(stat(path));
      if (info === undefined) throw new HearthError('store_damaged', `blob ${digest} is missing from the store`);
      if (info.size > largestReadableBlob)
        throw new HearthError('store_damaged', `blob ${digest} is too large for what it should be`);
      return readFile(path);
    },
    async putBlob(content, mediaType) {
      const digest = digestOf(content);
      const path = layout.blob(digest);
      if (!(await exists(path))) await writeDurably(path, content);
      return { mediaType, digest, size: content.byteLength };
    },
    async adoptBlob(source, digest, mediaType) {
      const path = layout.blob(digest);
      if (!(await exists(path))) {
        if ((await digestOfFile(source)) !== digest)
          throw new HearthError('store_damaged', `${source} does not have the content that it should have`);
        await adoptFile(source, path);
      }
      return { mediaType, digest, size: (await stat(path)).size };
    },
    putManifest: (name, manifest) => writeDurably(layout.manifest(name), encodeManifest(manifest)),
    async readNote(name) {
      return (await orMissing(readFile(join(root, name))))?.toString('utf8');
    },
    writeNote: (name, text) => writeDurably(join(root, name), Buffer.from(text)),
  };
}

/** Every <host>/<namespace>/<model>/<tag> that is a valid name; other files are not ours to judge. */
async function listNames(folder: string, parts: readonly string[] = []): Promise<ModelName[]> {
  const depth = 4;
  const entries = (await orMissing(readdir(folder, { withFileTypes: true }))) ?? [];
  const names: ModelName[] = [];
  for (const entry of entries) {
    const path = [...parts, entry.name];
    if (path.length < depth && entry.isDirectory()) names.push(...(await listNames(join(folder, entry.name), path)));
    else if (path.length === depth && entry.isFile()) names.push(...toName(path));
  }
  return names;
}

function toName([host = '', namespace = '', model = '', tag = '']: readonly string[]): ModelName[] {
  try {
    return [parseModelName(`${host}/${namespace}/${model}:${tag}`)];
  } catch {
    return [];
  }
}

async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
