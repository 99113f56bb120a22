// Finds the files of a recipe and determines their kind from their headers.

import { open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { ggufKind } from '../../../formats/gguf/gguf-kind.ts';
import { mergedGguf } from '../../../formats/gguf/merge-gguf.ts';
import { type Gguf, readGguf, readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import { splitInfoOf } from '../../../formats/gguf/split-info.ts';
import type { Reference } from '../../../formats/modelfile/reference.ts';
import { readWhisper, startsAsWhisper } from '../../../formats/speech/read-whisper.ts';
import { formatModelName } from '../../../models/name.ts';
import { localNameOf } from '../../../models/package-reference.ts';
import { type ManifestLayer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import { findPackageModel } from './installed-package.ts';
import type { Recipe } from './recipe.ts';
import { openServerFile, readStart, type ServerFile } from './server-file.ts';

/** A layer with tensors, and its header. */
export interface ModelPart {
  readonly layer: ManifestLayer;
  readonly gguf: Gguf;
}

export interface PartsFinder {
  readonly store: Store;
  /** Whether files outside the store may be read. */
  readonly localFiles: boolean;
  readonly signal: AbortSignal;
  /** Protects a blob from removal until the model is created. */
  readonly hold: (digest: Digest) => void;
}

/** The base model of a recipe, if it has one and the model is in the store. */
export async function findBase({ sources }: Recipe, { store }: PartsFinder): Promise<StoredModel | undefined> {
  const [first] = sources;
  if (first?.kind === 'package') return store.find(localNameOf(first.package));
  return first?.kind === 'model' ? store.find(first.name) : undefined;
}

type MissingBase = Extract<Reference, { readonly kind: 'model' | 'package' }>;

/** The base model of a recipe, if it has one and the model is not in the store. */
export async function findMissingBase(recipe: Recipe, finder: PartsFinder): Promise<MissingBase | undefined> {
  const [first] = recipe.sources;
  if (first?.kind === 'package') {
    const { version } = first.package;
    const installed = await findPackageModel(finder.store, localNameOf(first.package), first.package);
    return installed !== undefined && (version ?? installed.version) === installed.version ? undefined : first;
  }
  if (first?.kind !== 'model' || (await finder.store.find(first.name)) !== undefined) return undefined;
  // A file name without a folder has the form of a model name. Any other file is treated like a missing one, so that
  // the API does not tell which files exist.
  const isFile = finder.localFiles && (await isGgufAt(resolve(recipe.folder, first.text), finder.signal));
  return isFile ? undefined : first;
}

// The largest split models have about a hundred parts.
export const maxModelFiles = 512;

export async function findParts(
  references: readonly Reference[],
  folder: string,
  finder: PartsFinder,
): Promise<ModelPart[]> {
  if (references.length > maxModelFiles)
    throw new HearthError('bad_request', `the model has ${references.length} files; the maximum is ${maxModelFiles}`);
  const parts: ModelPart[] = [];
  for (const reference of references) {
    finder.signal.throwIfAborted();
    const digest = await findBlob(reference, folder, finder);
    finder.hold(digest);
    parts.push(await readPart(finder.store, digest));
  }
  return joinSplits(parts, finder);
}

const tensorTypes: ReadonlySet<string> = new Set([
  mediaTypes.model,
  mediaTypes.projector,
  mediaTypes.adapter,
  mediaTypes.draft,
]);

/** The parts of the base model. Their layers record its name. */
export async function readBaseParts({ name, manifest }: StoredModel, finder: PartsFinder): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for (const layer of manifest.layers) {
    if (!tensorTypes.has(layer.mediaType)) continue;
    finder.hold(layer.digest);
    const { gguf } = await readPart(finder.store, layer.digest);
    parts.push({ layer: { ...layer, from: formatModelName(name) }, gguf });
  }
  return parts;
}

export async function findBlob(reference: Reference, folder: string, finder: PartsFinder): Promise<Digest> {
  const { store } = finder;
  if (reference.kind === 'blob') {
    if (await store.hasBlob(reference.digest)) return reference.digest;
    throw new HearthError('bad_request', `blob "${reference.digest}" not found; create it with POST /api/blobs first`);
  }
  const path = pathOf(reference, folder);
  const stored = blobAt(store, path);
  if (stored !== undefined && (await store.hasBlob(stored))) return stored;
  return importFile(path, finder);
}

/** Whether a reference leads to the weights of a Whisper model. */
export async function isWhisperAt(reference: Reference, folder: string, finder: PartsFinder): Promise<boolean> {
  if (reference.kind === 'package' || (reference.kind !== 'blob' && !finder.localFiles)) return false;
  const path = reference.kind === 'blob' ? finder.store.blobPath(reference.digest) : pathOf(reference, folder);
  const file = await openServerFile(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    return startsAsWhisper(await readStart(file, 4, finder.signal));
  } finally {
    await file.handle.close();
  }
}

function pathOf(reference: Exclude<Reference, { readonly kind: 'blob' }>, folder: string): string {
  return resolve(folder, expandHome(reference.kind === 'path' ? reference.path : reference.text));
}

/** The digest in the path of a blob of this store. */
function blobAt(store: Store, path: string): Digest | undefined {
  const hex = /[\\/]sha256-([0-9a-f]{64})$/.exec(path)?.[1];
  if (hex === undefined) return undefined;
  const digest = `sha256:${hex}` as Digest;
  return resolve(store.blobPath(digest)) === path ? digest : undefined;
}

async function importFile(path: string, { store, localFiles, signal }: PartsFinder): Promise<Digest> {
  if (!localFiles) {
    const message =
      'files on the server can be used only by clients on the same machine; upload them with POST /api/blobs';
    throw new HearthError('forbidden', message);
  }
  const refuse = (): never => {
    signal.throwIfAborted();
    throw new HearthError('bad_request', unusable);
  };
  const file = await openServerFile(path).catch(refuse);
  try {
    // Checked before gigabytes are copied.
    await checkServerFile(file, signal).catch(refuse);
    // The same handle and size: the path can lead to another file in the meantime, and a file can grow.
    const source = file.handle.createReadStream({ start: 0, end: file.size - 1, autoClose: false });
    return (await store.writeBlob(source, { mediaType: mediaTypes.model, signal })).digest;
  } finally {
    await file.handle.close();
  }
}

const onlyGguf = 'weights must be GGUF files, or safetensors files that are uploaded together with their config.json';
// One text for all reasons, so that the API tells neither which files exist nor what they contain.
const unusable = `a file of the model does not exist, is not readable, or is not in GGUF format; ${onlyGguf}`;

async function checkServerFile(file: ServerFile, signal: AbortSignal): Promise<void> {
  if (startsAsWhisper(await readStart(file, 4, signal))) await readWhisper(file);
  else await readServerGguf(file, signal);
}

function readServerGguf(file: ServerFile, signal: AbortSignal): Promise<Gguf> {
  return readGguf({ size: file.size, readHead: (length) => readStart(file, length, signal) }, { maxArray: 0 });
}

async function isGgufAt(path: string, signal: AbortSignal): Promise<boolean> {
  const file = await openServerFile(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    return await checkServerFile(file, signal).then(
      () => true,
      () => false,
    );
  } finally {
    await file.handle.close();
  }
}

async function readHeader(path: string): Promise<Gguf> {
  try {
    return await readGgufFile(path, { maxArray: 0 });
  } catch (error) {
    // The error says what is wrong with a GGUF file.
    if (await startsAsGguf(path)) throw error;
    throw new HearthError('bad_request', `supplied file was not in GGUF format; ${onlyGguf}`);
  }
}

async function startsAsGguf(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1', 0, bytesRead) === 'GGUF';
  } finally {
    await file.close();
  }
}

export async function readPart(store: Store, digest: Digest): Promise<ModelPart> {
  const path = await store.locateBlob(digest);
  const gguf = await readHeader(path);
  const kind = ggufKind(gguf);
  return { layer: { mediaType: mediaTypes[kind], digest, size: (await stat(path)).size }, gguf };
}

/** Merges the parts of a split model: llama.cpp finds parts by file name, and blobs have other names. */
async function joinSplits(parts: readonly ModelPart[], finder: PartsFinder): Promise<ModelPart[]> {
  const { store, signal, hold } = finder;
  const splits = parts.filter(({ gguf }) => (splitInfoOf(gguf)?.count ?? 1) > 1);
  if (splits.length === 0) return [...parts];
  const paths = await Promise.all(splits.map(({ layer }) => store.locateBlob(layer.digest)));
  const merged = mergedGguf(paths, { signal });
  const { digest } = await store.writeBlob(merged, { mediaType: mediaTypes.model, signal });
  hold(digest);
  return [await readPart(store, digest), ...parts.filter((part) => !splits.includes(part))];
}

function expandHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
