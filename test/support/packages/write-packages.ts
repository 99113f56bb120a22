// Builds wheels and npm tarballs.

import { createHash } from 'node:crypto';
import { writeTarGz } from './write-tar.ts';
import { writeZip, type ZipFile } from './write-zip.ts';

export interface PackageFiles {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, Buffer | string>>;
}

export interface WheelOptions {
  /** Files that RECORD lists with the hash of something else. */
  readonly wrongHashes?: readonly string[];
  /** Members that are added as they are. */
  readonly extra?: readonly ZipFile[];
}

export function writeWheel(
  { name, version, files }: PackageFiles,
  { wrongHashes = [], extra = [] }: WheelOptions = {},
): Buffer {
  const info = `${name.replaceAll('-', '_')}-${version}.dist-info`;
  const all = {
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ...files,
  };
  const lines = Object.entries(all).map(([path, content]) => {
    const hash = createHash('sha256')
      .update(wrongHashes.includes(path) ? 'other' : content)
      .digest('base64url');
    return `${path},sha256=${hash},${Buffer.byteLength(content)}`;
  });
  const record = { path: `${info}/RECORD`, content: [...lines, `${info}/RECORD,,`, ''].join('\n') };
  const members = Object.entries(all).map(([path, content]) => ({ path, content, stored: isRandom(content) }));
  return writeZip([...members, ...extra, record]);
}

/** Compressing random bytes would only take time. */
function isRandom(content: Buffer | string): boolean {
  return content.length > 2 ** 20 && new Set(Buffer.from(content.slice(-1000))).size > 1;
}

export function wheelName({ name, version }: Pick<PackageFiles, 'name' | 'version'>): string {
  return `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`;
}

export function writeNpmTarball({ name, version, files }: PackageFiles): Buffer {
  const all = { 'package.json': JSON.stringify({ name, version }), ...files };
  return writeTarGz(Object.entries(all).map(([path, content]) => ({ path: `package/${path}`, content })));
}
