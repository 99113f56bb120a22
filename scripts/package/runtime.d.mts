export interface Runtime {
  /** The path of the program. */
  readonly program: string;
  /** The text of its license. */
  readonly license: string;
}

export function findRuntime(options: {
  /** The path of an archive of nodejs.org. */
  readonly archive?: string | undefined;
  readonly platform: string;
  readonly arch: string;
  /** For the files of the archive. */
  readonly folder: string;
}): Runtime;
