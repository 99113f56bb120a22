// Permissions: folders that the server must be able to write to, and files that only their owner should be able to read.

import { randomBytes } from 'node:crypto';
import { access, constants, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../../../base/config/settings.ts';
import { stateFolder } from '../../../../base/config/state-folder.ts';
import { describeSystemError } from '../../../../base/process/system-error.ts';
import { keyFileName } from '../../../../models/keys/load-or-create-key.ts';
import { type CheckFinding, defineCheck, ok, problem, usualTimeLimit, warning } from '../check.ts';
import { nearestFolder, type ServerFolder, serverFolders } from '../folders.ts';

export interface FolderFacts extends ServerFolder {
  /** Why it is not writable. */
  readonly failure?: string;
}

export interface PrivateFileFacts {
  readonly path: string;
  readonly readable: boolean;
  /** Absent where there are no such bits. */
  readonly mode?: number;
}

export interface PermissionFacts {
  readonly folders: readonly FolderFacts[];
  /** Those that exist. */
  readonly files: readonly PrivateFileFacts[];
}

const otherUsers = 0o077;

export const permissionsCheck = defineCheck<PermissionFacts>({
  name: 'permissions',
  timeLimit: usualTimeLimit,
  async gather({ settings }) {
    const folders: FolderFacts[] = [];
    for (const folder of serverFolders(settings)) folders.push({ ...folder, ...(await tryWriting(folder.path)) });
    const files: PrivateFileFacts[] = [];
    for (const path of privateFiles(settings)) files.push(...(await readMode(path)));
    return { folders, files };
  },
  judge: judgePermissions,
});

function privateFiles({ keysFile, tlsKey }: Settings): string[] {
  const own = [
    'credentials',
    'config.toml',
    keyFileName,
    join('tls', 'server-key.pem'),
    join('tls', 'authority', 'ca-key.pem'),
  ];
  const paths = [...own.map((name) => join(stateFolder(), name)), keysFile, ...(tlsKey === '' ? [] : [tlsKey])];
  return [...new Set(paths)];
}

/** Permission bits do not tell about quotas, read-only disks and root, so a file is created and removed. */
async function tryWriting(path: string): Promise<{ readonly failure?: string }> {
  try {
    const probe = join(await nearestFolder(path), `.hearth-doctor-${randomBytes(8).toString('hex')}`);
    const file = await open(probe, 'wx', 0o600);
    try {
      await file.close();
    } finally {
      await rm(probe, { force: true });
    }
    return {};
  } catch (error) {
    return { failure: describeSystemError(error) };
  }
}

async function readMode(path: string): Promise<PrivateFileFacts[]> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return [];
  const readable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  return [{ path, readable, ...(process.platform === 'win32' ? {} : { mode: info.mode & 0o777 }) }];
}

export function judgePermissions({ folders, files }: PermissionFacts): CheckFinding[] {
  const findings = [...folders.flatMap(judgeFolder), ...files.flatMap(judgeFile)];
  if (findings.length > 0) return findings;
  const shown = files.length === 1 ? 'the private file' : `the ${files.length} private files`;
  const secrecy = files.length === 0 ? '' : `; nobody else can read ${shown}`;
  return [ok(`writable: ${folders.map(({ role }) => role).join(', ')}${secrecy}`)];
}

function judgeFolder({ role, path, failure }: FolderFacts): CheckFinding[] {
  if (failure === undefined) return [];
  const text = `${role} ${path} is not writable: ${failure}`;
  if (role === 'cache') return [warning(text, 'evaluated prompts are not kept; set HEARTH_CACHE to another folder')];
  const other = role === 'store' ? ', or choose another store with HEARTH_MODELS' : '';
  return [problem(text, `change its owner or permissions${other}`)];
}

function judgeFile({ path, readable, mode = 0 }: PrivateFileFacts): CheckFinding[] {
  if (!readable) return [problem(`${path} cannot be read`, 'run Hearth as the owner of the file, or change its owner')];
  if ((mode & otherUsers) === 0) return [];
  return [warning(`other users can read or change ${path}`, `run \`chmod 600 ${path}\``)];
}
