// The progress of all files of a pull as one number.

import type { ModelProgress } from './model-progress.ts';

export interface ProgressSum {
  /** The last one. */
  readonly status: string;
  /** Bytes; 0 if they are not known. */
  readonly total: number;
  readonly completed: number;
  /** The files of one step, such as "downloading", by digest. */
  readonly step: string;
  readonly files: ReadonlyMap<string, { readonly total: number; readonly completed: number }>;
}

export const noSum: ProgressSum = { status: '', total: 0, completed: 0, step: '', files: new Map() };

/** Registries can name any number of files. */
const maxFiles = 1000;

export function addToSum(sum: ProgressSum, { status, digest, total = 0, completed = 0 }: ModelProgress): ProgressSum {
  if (digest === undefined) return { ...sum, status };
  const [step = ''] = status.split(' ');
  // The files of a package are unpacked after its download: they are not more to download.
  const files = new Map(step === sum.step ? sum.files : []);
  if (files.size < maxFiles || files.has(digest)) files.set(digest, { total, completed });
  const values = [...files.values()];
  return {
    status,
    step,
    files,
    total: values.reduce((bytes, file) => bytes + file.total, 0),
    completed: values.reduce((bytes, file) => bytes + file.completed, 0),
  };
}
