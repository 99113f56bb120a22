// Installs the embedded models into the store, once. A model that the user has deleted or changed is left alone until it
// is pulled. A newer version replaces only an unchanged model.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, hexOf, parseDigest } from '../../../base/digest.ts';
import { readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import type { ModelDetails } from '../../../models/details.ts';
import { type ModelName, parseModelName, sameModelName } from '../../../models/name.ts';
import {
  encodeManifest,
  type Manifest,
  type ManifestLayer,
  mediaTypes,
} from '../../../models/store/manifests/manifest.ts';
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
  const noted = await readNoted(store);
  const embedded = { ...noted };
  const installed: string[] = [];
  for (const model of await readModels(folder)) {
    const version = await versionOf(folder, model);
    const last = noted[model.name];
    if (last?.version === version) continue;
    const present = await store.find(parseModelName(model.name));
    const unchanged = last === undefined ? present === undefined : present?.digest === last.manifest;
    const manifest = unchanged ? await install(store, folder, model) : (last?.manifest ?? '');
    if (unchanged) installed.push(model.name);
    embedded[model.name] = { version, manifest };
  }
  if (JSON.stringify(embedded) !== JSON.stringify(noted)) await writeNoted(store, embedded);
  return installed;
}

/** Installs one model, also if it was deleted or changed. False: it is not embedded. */
export async function restoreEmbedded(store: Store, folder: string, name: ModelName): Promise<boolean> {
  const model = (await readModels(folder)).find((each) => sameModelName(parseModelName(each.name), name));
  if (model === undefined) return false;
  const version = await versionOf(folder, model);
  const manifest = await install(store, folder, model);
  await writeNoted(store, { ...(await readNoted(store)), [model.name]: { version, manifest } });
  return true;
}

async function readModels(folder: string): Promise<EmbeddedModel[]> {
  return JSON.parse(await readFile(join(folder, 'embedded.json'), 'utf8')) as EmbeddedModel[];
}

async function readNoted(store: Store): Promise<Note['embedded']> {
  try {
    const note = JSON.parse((await store.readNote(noteName)) ?? '{}') as Partial<Note>;
    return note.embedded ?? {};
  } catch {
    return {};
  }
}

function writeNoted(store: Store, embedded: Note['embedded']): Promise<void> {
  return store.writeNote(noteName, `${JSON.stringify({ embedded } satisfies Note, null, 2)}\n`);
}

// Runs at every start, so the weights are identified by their digest and not read.
async function versionOf(folder: string, model: EmbeddedModel): Promise<string> {
  const texts = await Promise.all([model.template, ...model.licenses].map((name) => readFile(join(folder, name))));
  return digestOf(JSON.stringify([model, texts.map(digestOf)]));
}

/** Returns the digest of the new manifest. */
async function install(store: Store, folder: string, model: EmbeddedModel): Promise<string> {
  const weights = join(folder, model.weights);
  const text = async (name: string, mediaType: string): Promise<ManifestLayer> =>
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
