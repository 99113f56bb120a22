// Versions of published packages.

interface Version {
  readonly numbers: readonly number[];
  readonly isPreRelease: boolean;
}

/** Undefined if the text is not a version such as 1.2.3 or 1.3.0-beta.1. */
function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, preRelease] =
    /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(text) ?? [];
  if (patch === undefined) return undefined;
  return { numbers: [major, minor, patch].map(Number), isPreRelease: preRelease !== undefined };
}

/** The highest version that is not a pre-release; undefined if there is none. */
export function newestRelease(versions: readonly string[]): string | undefined {
  const releases = versions.filter((text) => parseVersion(text)?.isPreRelease === false);
  return releases.sort((a, b) => (isNewerVersion(a, b) ? -1 : 1))[0];
}

/** Whether `a` is newer than `b`. A pre-release is older than its release. */
export function isNewerVersion(a: string, b: string): boolean {
  const [first, second] = [parseVersion(a), parseVersion(b)];
  if (first === undefined || second === undefined) return false;
  const index = first.numbers.findIndex((number, position) => number !== second.numbers[position]);
  if (index === -1) return !first.isPreRelease && second.isPreRelease;
  return (first.numbers[index] ?? 0) > (second.numbers[index] ?? 0);
}
