export interface TarEntry {
  readonly name: string;
  readonly mode: number;
  readonly text?: string;
  /** The path of the file to copy, instead of `text`. */
  readonly source?: string;
}

export function writeTarGz(
  path: string,
  entries: readonly TarEntry[],
  options: { readonly seconds: number },
): Promise<void>;
