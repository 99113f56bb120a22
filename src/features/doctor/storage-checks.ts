// Folders that the server writes to, private files, and the store.

import { randomBytes } from 'node:crypto';
import { access, constants, lstat, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import type { Digest } from '../../base/digest.ts';
import { systemCodeOf } from '../../base/errors.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import { formatByteSize } from '../../cli/output/format.ts';
import { keyFileName } from '../../models/keys/load-or-create-key.ts';
import { formatModelName } from '../../models/name.ts';
import { createStoreLayout } from '../../models/store/files/layout.ts';
import { createManifests, type UnreadableManifest } from '../../models/store/manifests/manifests.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { type Check, type CheckContext, type CheckFinding, ok, problem, warning } from '../check.ts';

// One file after another: a disk that hangs must not block all threads that read files.
export const storageChecks: readonly Check[] = [
  {
    name: 'disk',
    async run({ settings }) {
      const findings: CheckFinding[] = [];
      for (const folder of serverFolders(settings))
        findings.push(judgeDisk({ ...folder, ...(await measure(folder.path)) }));
      return findings;
    },
  },
  {
    name: 'permissions',
    async run({ settings }) {
      const folders: ServerFolder[] = [];
      for (const folder of serverFolders(settings)) folders.push({ ...folder, failure: await tryWriting(folder.path) });
      const files: PrivateFile[] = [];
      for (const path of privateFiles(settings)) files.push(...(await readMode(path)));
      return judgePermissions({ folders, files });
    },
  },
  { name: 'store', timeLimitMs: 20_000, run: async (context, signal) => judgeStore(await readStore(context, signal)) },
];

interface ServerFolder {
  readonly role: 'store' | 'state' | 'cache';
  readonly path: string;
  /** Why the check has failed. */
  readonly failure?: string;
}

function serverFolders({ models, cache, cacheSize }: Settings): ServerFolder[] {
  const folders: ServerFolder[] = [
    { role: 'store', path: models },
    { role: 'state', path: stateFolder() },
  ];
  if (cache === 'off' || cacheSize === 0) return folders;
  return [...folders, { role: 'cache', path: cache === 'auto' ? join(dirname(models), 'cache') : cache.folder }];
}

/** The folder itself, or the one in which it would be created. */
async function nearestFolder(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
}

interface DiskFacts extends ServerFolder {
  /** Absent if the file system does not report it. */
  readonly freeBytes?: number;
  readonly totalBytes?: number;
}

async function measure(path: string): Promise<Omit<DiskFacts, 'role' | 'path'>> {
  try {
    const { bavail, bsize, blocks } = await statfs(await nearestFolder(path));
    // Some network file systems report zeros.
    return blocks === 0 ? {} : { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch (error) {
    return { failure: describeSystemError(error) };
  }
}

/** Below `none` nothing can be written; below `little`, models and prompts do not fit for long. */
const diskNeeds = {
  store: {
    none: 100e6,
    little: 5e9,
    nextStep: 'remove models with `hearth rm`, or choose another folder with HEARTH_MODELS',
  },
  state: { none: 10e6, little: 100e6, nextStep: 'make room in the home folder' },
  cache: { none: 10e6, little: 1e9, nextStep: 'lower HEARTH_CACHE_SIZE, or choose another folder with HEARTH_CACHE' },
} as const;

export function judgeDisk({ role, path, freeBytes, totalBytes = 0, failure }: DiskFacts): CheckFinding {
  const name = `${role} ${path}`;
  const { none, little, nextStep } = diskNeeds[role];
  if (failure !== undefined) return problem(`${name}: ${failure}`, nextStep);
  if (freeBytes === undefined) return ok(`${name}: the file system does not say how much is free`);
  const text = `${name}: ${formatByteSize(freeBytes)} of ${formatByteSize(totalBytes)} free`;
  if (freeBytes < none) return problem(text, nextStep);
  return freeBytes < little ? warning(text, nextStep) : ok(text);
}

/** Permission bits do not tell about quotas, read-only disks and root, so a file is created and removed. */
async function tryWriting(path: string): Promise<string | undefined> {
  try {
    const probe = join(await nearestFolder(path), `.hearth-doctor-${randomBytes(8).toString('hex')}`);
    const file = await open(probe, 'wx', 0o600);
    try {
      await file.close();
    } finally {
      await rm(probe, { force: true });
    }
    return undefined;
  } catch (error) {
    return describeSystemError(error);
  }
}

interface PrivateFile {
  readonly path: string;
  readonly readable: boolean;
  /** Absent where files have no permission bits. */
  readonly mode?: number;
}

function privateFiles({ keysFile, tlsKey }: Settings): string[] {
  const names = ['credentials', 'config.toml', keyFileName, 'tls/server-key.pem', 'tls/authority/ca-key.pem'];
  const paths = [...names.map((name) => join(stateFolder(), name)), keysFile, tlsKey];
  return [...new Set(paths)].filter((path) => path !== '');
}

/** Empty if there is no such file. */
async function readMode(path: string): Promise<PrivateFile[]> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return [];
  const denied: unknown = await access(path, constants.R_OK).catch((error: unknown) => error);
  const mode = process.platform === 'win32' ? undefined : info.mode & 0o777;
  return [{ path, readable: denied === undefined, mode }];
}

interface PermissionFacts {
  readonly folders: readonly ServerFolder[];
  /** Files that exist. */
  readonly files: readonly PrivateFile[];
}

export function judgePermissions({ folders, files }: PermissionFacts): CheckFinding[] {
  const findings = [...folders.map(judgeFolder), ...files.map(judgeFile)].filter((finding) => finding !== undefined);
  if (findings.length > 0) return findings;
  const shown = files.length === 1 ? 'the private file' : `the ${files.length} private files`;
  const secrecy = files.length === 0 ? '' : `; nobody else can read ${shown}`;
  return [ok(`writable: ${folders.map(({ role }) => role).join(', ')}${secrecy}`)];
}

function judgeFolder({ role, path, failure }: ServerFolder): CheckFinding | undefined {
  if (failure === undefined) return undefined;
  const text = `${role} ${path} is not writable: ${failure}`;
  if (role === 'cache') return warning(text, 'evaluated prompts are not kept; set HEARTH_CACHE to another folder');
  const other = role === 'store' ? ', or choose another store with HEARTH_MODELS' : '';
  return problem(text, `change its owner or permissions${other}`);
}

const otherUsers = 0o077;

function judgeFile({ path, readable, mode = 0 }: PrivateFile): CheckFinding | undefined {
  if (!readable) return problem(`${path} cannot be read`, 'run Hearth as the owner of the file, or change its owner');
  if ((mode & otherUsers) === 0) return undefined;
  return warning(`other users can read or change ${path}`, `run \`chmod 600 ${path}\``);
}

interface StoreFacts {
  /** The number of models. */
  readonly models: number;
  readonly unreadable: readonly UnreadableManifest[];
  readonly incomplete: readonly { readonly model: string; readonly defect: 'is missing' | 'has the wrong size' }[];
}

/** Reads manifests and sizes of blobs; `hearth verify` also reads their content. */
async function readStore({ settings, clock }: CheckContext, signal: AbortSignal): Promise<StoreFacts> {
  const layout = createStoreLayout(settings.models);
  const { models, unreadable } = await createManifests(layout, clock).readAll();
  const sizes = new Map<Digest, number | undefined>();
  const incomplete: StoreFacts['incomplete'][number][] = [];
  for (const { name, manifest } of models) {
    signal.throwIfAborted();
    for (const { digest, size } of [manifest.config, ...manifest.layers]) {
      if (!sizes.has(digest)) sizes.set(digest, (await undefinedIfMissing(lstat(layout.blob(digest))))?.size);
      const found = sizes.get(digest);
      if (found === size) continue;
      const defect = found === undefined ? 'is missing' : 'has the wrong size';
      incomplete.push({ model: formatModelName(name), defect });
      break;
    }
  }
  return { models: models.length, unreadable, incomplete };
}

// A damaged store can have thousands of defects.
const maxShown = 10;

export function judgeStore({ models, unreadable, incomplete }: StoreFacts): CheckFinding[] {
  const findings = [
    ...unreadable.map(({ path, reason }) =>
      problem(`the manifest ${path} cannot be used: ${reason}`, 'delete the file, and pull or create the model again'),
    ),
    ...incomplete.map(({ model, defect }) =>
      problem(
        `${model}: a file of the model ${defect}`,
        `run \`hearth verify --repair\`, then \`hearth pull ${model}\` or create it again`,
      ),
    ),
  ];
  const others = findings.length - maxShown;
  if (others > 0)
    return [...findings.slice(0, maxShown), problem(`${others} more defects`, '`hearth verify` lists all of them')];
  if (findings.length > 0) return findings;
  if (models === 0) return [ok('no models yet; `hearth serve` installs Ember')];
  const count = models === 1 ? 'one model' : `${models} models`;
  return [ok(`${count}, all files are there (\`hearth verify\` reads them)`)];
}
