// The progress of a pull or a creation: what the server said last, and how many bytes of which files are there.

import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';

export interface TransferProgress {
  readonly status: string;
  /** What is done with the files: the first word of the status, such as "downloading". */
  readonly step: string;
  /** The files of this step by digest, in the order in which the server named them. */
  readonly files: ReadonlyMap<string, FileProgress>;
  /** The last few seconds. */
  readonly samples: readonly { readonly timeMs: number; readonly completed: number }[];
}

interface FileProgress {
  /** Bytes; for a quantization, tensors. */
  readonly completed: number;
  readonly total: number;
}

export const noProgress: TransferProgress = { status: '', step: '', files: new Map(), samples: [] };

/** A rate over less time jumps. */
const ratePeriodMs = 5000;

/** `timeMs` comes from a monotonic clock. */
export function addProgress(progress: TransferProgress, part: ProgressResponseBody, timeMs: number): TransferProgress {
  const { status, digest, total = 0, completed = 0 } = part;
  if (digest === undefined) return { ...progress, status };
  const [step = ''] = status.split(' ');
  // The files of a package are unpacked after its download: they are not more to download.
  const { files: known, samples } = step === progress.step ? progress : noProgress;
  const files = new Map(known).set(digest, { completed, total });
  const recent = samples.filter((sample) => timeMs - sample.timeMs < ratePeriodMs);
  return { status, step, files, samples: [...recent, { timeMs, completed: sumOf(files).completed }] };
}

/** The files that the server has named so far. */
export function sumOf(files: TransferProgress['files']): FileProgress {
  let [completed, total] = [0, 0];
  for (const file of files.values()) {
    completed += file.completed;
    total += file.total;
  }
  return { completed, total };
}

/** Bytes per second; undefined if it is not known yet. A file that was there before does not count. */
export function rateOf({ samples }: TransferProgress): number | undefined {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.timeMs - first.timeMs < ratePeriodMs / 5) return undefined;
  return ((last.completed - first.completed) * 1000) / (last.timeMs - first.timeMs);
}

/** The status without digests. */
export function shownStatus({ status }: TransferProgress): string {
  return status.replace(/ ?sha256:[0-9a-f]+/, '');
}
