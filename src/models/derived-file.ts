// Files that are made from a blob and lie next to it: parts of a model in another form. They can be made again at any time.

export type DerivedPart = 'weights' | 'projector';

export interface DerivedFile {
  readonly part: DerivedPart;
  /** The path of the blob. */
  readonly from: string;
  readonly path: string;
}

/** Part of the name. Another number means that such files are made in another way now. */
const version = 1;

export const derivedParts: readonly DerivedPart[] = ['weights', 'projector'];

export function derivedPath(blobPath: string, part: DerivedPart): string {
  return `${blobPath}-translated-${part}-${version}`;
}
