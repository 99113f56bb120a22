// Finds the models in a package by the names of its files.
//
//   GGUF            one file, or all parts of a split one; a projector ("mmproj") in the same folder belongs to it
//   Hugging Face    a folder with config.json and safetensors
//   whisper.cpp     one file, "ggml-*.bin"; its content is checked when the model is created

import { setImmediate } from 'node:timers/promises';
import { HearthError } from '../../base/errors.ts';
import { type ArchiveEntry, entriesPerTurn } from '../../formats/archive/archive.ts';
import { type PackageReference, packageIdOf } from '../../models/package-reference.ts';
import { maxModelFiles } from '../../server/services/create/find-parts.ts';

export interface PackagedFile {
  readonly entry: ArchiveEntry;
  /** Relative to the folder of the model. */
  readonly name: string;
}

export interface PackagedModel {
  /** The GGUF file, the first part of a split one, or the folder. */
  readonly path: string;
  readonly files: readonly PackagedFile[];
}

/** The model that the reference chooses. Throws if there is none, if it has too many files, or if there are several and no choice. */
export async function chooseModel(
  entries: readonly ArchiveEntry[],
  reference: PackageReference,
): Promise<PackagedModel> {
  const finding = findModelFiles(entries);
  let found = finding.next();
  for (; found.done !== true; found = finding.next()) await setImmediate();
  const models = found.value;
  const id = packageIdOf(reference);
  const list = listPaths(models);
  const { path } = reference;
  if (models.length === 0)
    throw new HearthError(
      'model_not_found',
      `${id} contains no model: neither a GGUF file, a folder with safetensors nor a file of whisper.cpp`,
    );
  const matching = path === undefined ? models : models.filter((model) => model.path === path);
  const [model, ...others] = matching;
  if (model === undefined)
    throw new HearthError('bad_request', `${id} has no model at ${JSON.stringify(path)}; it has ${list}`);
  if (others.length > 0)
    throw new HearthError('bad_request', `${id} contains ${models.length} models: choose one with ${id}#PATH: ${list}`);
  if (model.files.length > maxModelFiles) {
    const problem = `has ${model.files.length} files; the maximum is ${maxModelFiles}`;
    throw new HearthError('unsupported', `${id}: the model at ${model.path} ${problem}`);
  }
  return model;
}

const maxListed = 20;

function listPaths(models: readonly PackagedModel[]): string {
  const listed = models.slice(0, maxListed).map(({ path }) => path);
  return [...listed, ...(models.length > maxListed ? ['…'] : [])].join(', ');
}

/** Returns them sorted by path. Yields when other work should have its turn. */
export function* findModelFiles(entries: readonly ArchiveEntry[]): Generator<void, PackagedModel[]> {
  const folders = new Map<string, PackagedFile[]>();
  // The files of sentence-transformers' modules, by the folder of the model.
  const modules = new Map<string, PackagedFile[]>();
  for (const [index, entry] of entries.entries()) {
    if ((index + 1) % entriesPerTurn === 0) yield;
    if (!modelFile.test(entry.path)) continue;
    const folder = entry.path.slice(0, entry.path.lastIndexOf('/') + 1);
    addTo(folders, folder, { entry, name: entry.path.slice(folder.length) });
    const name = entry.path.slice(folder.lastIndexOf('/', folder.length - 2) + 1);
    if (moduleFile.test(name)) addTo(modules, entry.path.slice(0, -name.length), { entry, name });
  }
  const models: PackagedModel[] = [];
  let passed = 0;
  for (const [folder, files] of folders) {
    for (const model of findGgufs(files)) models.push(model);
    models.push(...findWhisper(files));
    models.push(...findHuggingFace(folder, files, modules.get(folder) ?? []));
    passed += files.length;
    if (passed < entriesPerTurn) continue;
    passed = 0;
    yield;
  }
  return models.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function addTo(files: Map<string, PackagedFile[]>, key: string, file: PackagedFile): void {
  const known = files.get(key);
  if (known) known.push(file);
  else files.set(key, [file]);
}

const splitName = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;

function findGgufs(files: readonly PackagedFile[]): PackagedModel[] {
  const ggufs = files.filter(({ name }) => /\.gguf$/i.test(name));
  const projectors: PackagedFile[] = [];
  const weights = new Map<string, PackagedFile[]>();
  for (const file of ggufs) {
    if (/mmproj/i.test(file.name)) {
      projectors.push(file);
      continue;
    }
    const [, stem, , count] = splitName.exec(file.name) ?? [];
    addTo(weights, stem === undefined ? file.name : `${stem}/${count}`, file);
  }
  // With several projectors, it is unknown which one is meant.
  const projector = projectors.length === 1 ? projectors : [];
  return [...weights.values()].map((parts) => {
    const sorted = parts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { path: (sorted[0] as PackagedFile).entry.path, files: [...sorted, ...projector] };
  });
}

// Not the models of the same engine that find speech and do not write it down.
const whisperName = /^ggml-(?!silero)[^/]*\.bin$/i;

function findWhisper(files: readonly PackagedFile[]): PackagedModel[] {
  return files.filter(({ name }) => whisperName.test(name)).map((file) => ({ path: file.entry.path, files: [file] }));
}

// Configuration, tokenizer and weights; not documentation or code.
const huggingFaceFile = /\.(?:json|safetensors|model|jinja)$|^(?:vocab|merges|added_tokens)\.txt$/;
// What can be a part of a model at all.
const modelFile = /\.(?:gguf|json|safetensors|model|jinja|txt)$|(?:^|\/)ggml-[^/]*\.bin$/i;
// A file in a folder of sentence-transformers, for example "1_Pooling/config.json".
const moduleFile = /^\d+_\w+\//;

function findHuggingFace(
  folder: string,
  files: readonly PackagedFile[],
  modules: readonly PackagedFile[],
): PackagedModel[] {
  const has = (matches: (name: string) => boolean): boolean => files.some(({ name }) => matches(name));
  if (!has((name) => name === 'config.json') || !has((name) => name.endsWith('.safetensors'))) return [];
  const needed = [
    ...files.filter(({ name }) => huggingFaceFile.test(name)),
    ...modules.filter(({ name }) => huggingFaceFile.test(name)),
  ];
  return [{ path: folder === '' ? '.' : folder.slice(0, -1), files: needed }];
}

const licenseName = /^(?:licen[cs]e|copying|notice)(?:[._-].*)?$/i;
export function isLicenseName(name: string): boolean {
  return licenseName.test(name);
}

const maxLicenseBytes = 2 ** 20;
const maxLicenses = 16;

/** Python code can have such a name, too. */
export function findLicenses(entries: readonly ArchiveEntry[]): ArchiveEntry[] {
  return entries
    .filter(({ path, size }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return isLicenseName(name) && !/\.(?:py|js|mjs|json|html)$/i.test(name) && size > 0 && size <= maxLicenseBytes;
    })
    .slice(0, maxLicenses);
}
