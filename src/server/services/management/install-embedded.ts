// Installs the embedded models into the store, once. A model that the user has deleted or changed is left alone. A newer
// version replaces only an unchanged model.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, hexOf, parseDigest } from '../../../base/digest.ts';
import { readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import type { ModelDetails } from '../../../models/details.ts';
import { parseModelName } from '../../../models/name.ts';
import { encodeManifest, type Layer, type Manifest, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { encodeModelConfig } from '../../../models/store/manifests/model-config.ts';
import type { Store } from '../../../models/store/store.ts';
import { describeGguf } from '../models/describe-gguf.ts';

interface EmbeddedModel {
  readonly name: string;
  readonly weights: string;
  readonly digest: string;
  /** Only vision models have one. */
  readonly projector?: { readonly file: string; readonly digest: string };
  readonly template: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly licenses: readonly string[];
}

const noteName = 'hearth.json';

/** The version of each model that was last installed or skipped: a digest over all its parts. */
interface Note {
  readonly embedded: Readonly<Record<string, { readonly version: string; readonly manifest: string }>>;
}

/** Returns the names of the models that it has installed. */
export async function installEmbedded(store: Store, folder: string): Promise<string[]> {
  const models = JSON.parse(await readFile(join(folder, 'embedded.json'), 'utf8')) as EmbeddedModel[];
  const note = readNote(await store.readNote(noteName));
  const embedded = { ...note.embedded };
  const installed: string[] = [];
  for (const model of models) {
    const version = await versionOf(folder, model);
    const last = note.embedded[model.name];
    if (last?.version === version) continue;
    const present = await store.find(parseModelName(model.name));
    const unchanged = last === undefined ? present === undefined : present?.digest === last.manifest;
    const manifest = unchanged ? await install(store, folder, model) : (last?.manifest ?? '');
    if (unchanged) installed.push(model.name);
    embedded[model.name] = { version, manifest };
  }
  if (JSON.stringify(embedded) !== JSON.stringify(note.embedded)) {
    await store.writeNote(noteName, `${JSON.stringify({ embedded } satisfies Note, null, 2)}\n`);
  }
  return installed;
}

function readNote(text: string | undefined): Note {
  try {
    const note = JSON.parse(text ?? '{}') as Partial<Note>;
    return { embedded: note.embedded ?? {} };
  } catch {
    return { embedded: {} };
  }
}

// Runs at every start, so the weights are identified by their digest and not read.
async function versionOf(folder: string, model: EmbeddedModel): Promise<string> {
  const texts = await Promise.all([model.template, ...model.licenses].map((name) => readFile(join(folder, name))));
  return digestOf(JSON.stringify([model, texts.map(digestOf)]));
}

/** Returns the digest of the new manifest. */
async function install(store: Store, folder: string, model: EmbeddedModel): Promise<string> {
  const weights = join(folder, model.weights);
  const text = async (name: string, mediaType: string): Promise<Layer> =>
    store.putBlob(await readFile(join(folder, name)), mediaType);
  const layers = [
    await store.adoptBlob(weights, parseDigest(model.digest), mediaTypes.model),
    ...(model.projector ? [await adoptProjector(store, folder, model.projector)] : []),
    await text(model.template, mediaTypes.template),
    await store.putBlob(Buffer.from(`${JSON.stringify(model.parameters)}\n`), mediaTypes.params),
  ];
  for (const license of model.licenses) layers.push(await text(license, mediaTypes.license));

  const config = encodeModelConfig(
    await describe(folder, model),
    layers.map(({ digest }) => digest),
  );
  const manifest: Manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(config, mediaTypes.config),
    layers,
  };
  await store.putManifest(parseModelName(model.name), manifest);
  return hexOf(digestOf(encodeManifest(manifest)));
}

function adoptProjector(store: Store, folder: string, projector: NonNullable<EmbeddedModel['projector']>) {
  return store.adoptBlob(join(folder, projector.file), parseDigest(projector.digest), mediaTypes.projector);
}

/** The details of the weights. A projector adds its family. */
async function describe(folder: string, { weights, projector }: EmbeddedModel): Promise<ModelDetails> {
  const read = async (name: string): Promise<ModelDetails> =>
    describeGguf(await readGgufFile(join(folder, name), { maxArray: 0 }));
  const details = await read(weights);
  if (projector === undefined) return details;
  return { ...details, families: [...(details.families ?? []), (await read(projector.file)).family] };
}
