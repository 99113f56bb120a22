// npm. The integrity is part of the metadata and is compared again after the download.

import type { ErrorCode } from '../../base/errors.ts';
import { HearthError } from '../../base/errors.ts';
import { asObject, parseJson } from '../../base/json-values.ts';
import type { PackageTool, ResolvedPackage } from './package-tool.ts';

export const npmTool: PackageTool = {
  name: 'npm',
  // npm is a script on Windows.
  commands: process.platform === 'win32' ? [['npm.cmd']] : [['npm']],
  extension: '.tgz',
  // The user's cache would keep a second copy of the weights, and the growth of this one is visible.
  environment: (folder) => ({ npm_config_cache: `${folder}/cache`, npm_config_update_notifier: 'false' }),
  resolveArguments: ({ name, version }) => [
    'view',
    '--json',
    '--workspaces=false',
    version === undefined ? name : `${name}@${version}`,
    'version',
    'dist',
  ],
  parseResolved(stdout, { name }) {
    const resolved = readResolved(stdout);
    if (resolved === undefined)
      throw new HearthError('registry_invalid_response', `npm/${name}: npm did not print a version`);
    return resolved;
  },
  downloadArguments: ({ name }, version) => [
    'pack',
    '--ignore-scripts',
    '--workspaces=false',
    '--loglevel=error',
    '--pack-destination',
    '.',
    `${name}@${version}`,
  ],
  sizeIn: () => undefined,
  explain({ code, stdout, stderr }) {
    const { code: npmCode, summary } = readError(stdout, stderr);
    const reason = summary ?? `npm failed with exit code ${code}`;
    if (/^(?:Z|TAR)_/.test(npmCode ?? '')) return { code: 'registry_invalid_response', reason };
    return { code: failures[npmCode ?? ''] ?? 'registry_failed', reason };
  },
};

const failures: Readonly<Record<string, ErrorCode>> = {
  E404: 'model_not_found',
  ETARGET: 'model_not_found',
  ENOVERSIONS: 'model_not_found',
  EINTEGRITY: 'digest_mismatch',
  ENOSPC: 'disk_full',
  E401: 'registry_denied',
  E403: 'registry_denied',
  ENEEDAUTH: 'registry_denied',
};

/** An incomplete version such as "1" gives several objects, the newest one last. */
function readResolved(stdout: string): ResolvedPackage | undefined {
  const parsed = parseJson(stdout);
  const { version, dist } = asObject(Array.isArray(parsed) ? parsed.at(-1) : parsed);
  if (typeof version !== 'string' || !/^[0-9A-Za-z.+-]{1,128}$/.test(version)) return undefined;
  const { integrity, unpackedSize, tarball } = asObject(dist);
  return {
    version,
    integrity: typeof integrity === 'string' ? integrity : undefined,
    url: typeof tarball === 'string' && /^https?:\/\//.test(tarball) ? tarball : undefined,
    estimatedSize: Number.isSafeInteger(unpackedSize) ? (unpackedSize as number) : undefined,
  };
}

/** With --json, the error is an object on standard output. */
function readError(stdout: string, stderr: string): { readonly code?: string; readonly summary?: string } {
  const error = asObject(asObject(parseJson(stdout))['error']);
  const lines = stderr.split('\n').flatMap((line) => /^npm (?:error|ERR!) (.*)$/.exec(line)?.[1] ?? []);
  const code = error['code'] ?? lines.find((line) => line.startsWith('code '))?.slice('code '.length);
  const summary = error['summary'] ?? lines.find((line) => !/^(?:code|errno|syscall|path) /.test(line));
  return {
    code: typeof code === 'string' ? code : undefined,
    summary: typeof summary === 'string' && summary !== '' ? summary : undefined,
  };
}
